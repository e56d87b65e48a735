import type { z } from 'zod'
import { type Allow, signedIn } from './auth/policy'
import type { ErrorCode } from './errors'

/** The body of a response: JSON of a schema, a file of a media type, or a redirect with a description of its target. */
export type ResponseSpec = z.ZodType | { file: string } | { redirect: string }

/** The responses of successful calls, by status. */
export type Responses = Readonly<Record<number, ResponseSpec>>

/** The API description of a handler (OpenAPI is generated from it). The input schemas also validate each request. */
export interface Operation {
  summary: string
  responses: Responses
  /** The error codes that `run` throws. Those that `defineHandler` throws before it are added automatically. */
  errors?: readonly ErrorCode[]
  params?: z.ZodType | undefined
  query?: z.ZodType
  /** Sent as JSON. */
  body?: z.ZodType
  /** A body that is missing, unreadable or invalid counts as `{}`: it never fails the call. */
  isBodyOptional?: boolean
  /** Sent as a form. Only described here: Auth.js parses it. */
  form?: z.ZodType
  /** The body is a raw file of this media type. */
  upload?: string
}

/** What serializes to this value as JSON: a `Date` may stand for a string. */
type Serializable<Value> = Value extends string
  ? Value | Date
  : Value extends readonly (infer Item)[]
    ? readonly Serializable<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Serializable<Value[Key]> }
      : Value

type Data<Spec> = Spec extends z.ZodType ? Serializable<z.output<Spec>> : never

/** What `run` may return: data of one of the schemas, or a `Response`. */
export type HandlerResult<ResponseMap extends Responses> = Response | Data<ResponseMap[keyof ResponseMap]>

export const isFile = ({ responses }: Operation) => Object.values(responses).some((response) => 'file' in response)

/**
 * Every error code that a call may return: those of `run`, and those that defineHandler and defineRoute add.
 * @public For a module that describes the API.
 */
export function errorCodesOf(method: string, access: Allow | 'public', operation: Operation): ErrorCode[] {
  const { query, params, isBodyOptional, errors = [] } = operation
  const body = isBodyOptional ? undefined : operation.body
  const isWrite = method !== 'GET'
  const isGuarded = access !== 'public'
  const codes: (ErrorCode | false)[] = [
    Boolean(body) && 'malformed',
    isGuarded && 'unauthenticated',
    // An impersonating admin may only read.
    isGuarded && (access !== signedIn || isWrite) && 'forbidden',
    (isWrite || isGuarded || !isFile(operation)) && 'cross_site',
    Boolean(body) && 'too_large',
    Boolean(body) && 'unsupported_media_type',
    Boolean(query ?? params ?? body) && 'invalid_input',
    'internal',
    // Also for a scope that the caller is no member of.
    isGuarded && access.where !== 'app' && 'not_found',
    isGuarded && 'unavailable',
  ]
  return [...new Set([...codes.filter((code) => code !== false), ...errors])]
}
