import type { z } from 'zod'
import type { ErrorCode } from './errors'

/** JSON of a schema, a file of a media type, or another address; which one, in words. */
export type Answer = z.ZodType | { file: string } | { leadsTo: string }

/** What is answered when all is well, by status. */
export type Answers = Readonly<Record<number, Answer>>

/** What a handler says of itself, for people and programs who call it. No request pays for it but what is checked anyway. */
export interface Operation {
  /** What it does, in a few words. */
  summary: string
  answers: Answers
  /** What it refuses with by itself. What `defineHandler` refuses before it runs goes without saying. */
  refuses?: readonly ErrorCode[]
  params?: z.ZodType | undefined
  query?: z.ZodType
  /** Sent as JSON. */
  body?: z.ZodType
  /** The body may be left out, or be anything but JSON: it then counts as `{}`. */
  isBodyOptional?: boolean
  /** Sent as a form, and read by whom the request is handed to. */
  form?: z.ZodType
  /** The body is a file of this media type, as it is. */
  upload?: string
}

/** What becomes this value as JSON: a time may be a `Date`. */
type Sent<Value> = Value extends string
  ? Value | Date
  : Value extends readonly (infer Item)[]
    ? readonly Sent<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Sent<Value[Key]> }
      : Value

type Data<One> = One extends z.ZodType ? Sent<z.output<One>> : never

/** What `run` may return: data that fits one of the schemas, or a response of its own making. */
export type Answered<Given extends Answers> = Response | Data<Given[keyof Given]>
