import 'server-only'
import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import { type Actor, getCaller, refuseActing } from './auth/actor'
import { type Allow, authorize, signedIn } from './auth/policy'
import { corsHeaders, isAllowedOrigin, preflightHeaders } from './cors'
import { AppError, type ErrorCode, toAppError } from './errors'
import { log } from './log'
import { noteRefusal } from './note-refusal'
import type { Answered, Answers, Operation } from './operation'
import { parse } from './parse'
import { readJson, refuseCrossSite, requestIdFrom, withRequest } from './request'

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

type RouteContext = { params: Promise<Record<string, string | string[] | undefined>> }
type Serve = (request: Request, context: RouteContext) => Promise<Response>

export interface Handler {
  serve: Serve
  access: Allow | 'public'
  /** What it says of itself; for a catch-all, what it says of each of its addresses. */
  operation: Operation & Pick<HandlerSpec, 'paths' | 'looksAtCaller'>
}

interface HandlerInput<Query extends z.ZodType, Params extends z.ZodType, Body extends z.ZodType> {
  query: z.output<Query>
  params: z.output<Params>
  body: z.output<Body>
  request: Request
}

interface HandlerSpec<
  Query extends z.ZodType = z.ZodType,
  Params extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Given extends Answers = Answers,
> extends Omit<Operation, 'form'> {
  answers: Given
  query?: Query
  params?: Params
  body?: Body
  /** Bytes of body that are read at most. */
  bodyLimit?: number
  /** `Cache-Control` of a good answer; refusals are never stored. */
  cache?: string
  /** Of a catch-all: the addresses below it that it answers, such as `callback/{provider}`. All others it refuses. */
  paths?: Readonly<Record<string, Operation>>
  /** Anybody may call it, and what it does depends on who does. */
  looksAtCaller?: boolean
}

interface GuardedSpec<Query extends z.ZodType, Params extends z.ZodType, Body extends z.ZodType, Given extends Answers>
  extends Omit<HandlerSpec<Query, Params, Body, Given>, 'looksAtCaller'> {
  allow: Allow
  run(context: HandlerInput<Query, Params, Body> & { actor: Actor }): Answered<Given> | Promise<Answered<Given>>
}

interface PublicSpec<Query extends z.ZodType, Params extends z.ZodType, Body extends z.ZodType, Given extends Answers>
  extends HandlerSpec<Query, Params, Body, Given> {
  run(context: HandlerInput<Query, Params, Body>): Answered<Given> | Promise<Answered<Given>>
}

/** A route handler for callers with a permission. Returns data (sent as JSON) or a `Response`. */
export function defineHandler<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  const Given extends Answers,
>(spec: GuardedSpec<Query, Params, Body, Given>): Handler {
  return {
    access: spec.allow,
    operation: spec,
    serve: async (request, context) => {
      refuseAnotherSite(request)
      const actor = authorize((await getCaller())?.user ?? null, spec.allow)
      if (spec.allow === signedIn && !isRead(request)) await refuseActing()
      return answer(await spec.run({ ...(await readInput(spec, request, context)), actor }), spec.cache)
    },
  }
}

/** A route handler that anybody may call; it does not look up who is calling. */
export function definePublicHandler<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  const Given extends Answers,
>(spec: PublicSpec<Query, Params, Body, Given>): Handler {
  return {
    access: 'public',
    operation: spec,
    serve: async (request, context) => {
      if (!isRead(request) || isLoadedInto(request, spec)) refuseAnotherSite(request)
      return answer(await spec.run(await readInput(spec, request, context)), spec.cache)
    },
  }
}

/**
 * The exports of a `route.ts`: every method is there, and those without a handler say which ones have one
 * (Next alone answers 405 without `Allow`).
 */
export function defineRoute(
  handlers: Partial<Record<Exclude<Method, 'HEAD' | 'OPTIONS'>, Handler>>,
): Record<Method, Serve> {
  const offered: Partial<Record<Method, Handler>> = { ...handlers }
  if (handlers.GET) offered.HEAD = handlers.GET
  const allow = methods.filter((method) => method === 'OPTIONS' || offered[method])

  const serve = (method: Method): Serve => {
    const handler = offered[method]
    return (request, context) => {
      const requestId = requestIdFrom(request.headers)
      return withRequest({ id: requestId, headers: request.headers }, async () => {
        try {
          if (handler) return withHeaders(await handler.serve(request, context), corsHeaders(request))
          if (method === 'OPTIONS') return options(request, allow)
          throw new AppError('method_not_allowed', undefined, { allow })
        } catch (error) {
          unstable_rethrow(error)
          const refusal = toAppError(error)
          if (refusal.status < 500) await noteRefusal(refusal, `${request.method} ${pathOf(request)}`)
          return withHeaders(problem(refusal, requestId), corsHeaders(request))
        }
      })
    }
  }
  const route = Object.fromEntries(methods.map((method) => [method, serve(method)])) as Record<Method, Serve>
  for (const [method, handler] of Object.entries(handlers)) behind.set(route[method as Method], handler)
  return route
}

/** The handler behind each export of a route: the exports are plain functions, because Next wants nothing else there. */
const behind = new WeakMap<object, Handler>()

/**
 * What the exports of a `route.ts` answer. HEAD and OPTIONS are not named: they come with the others.
 * @public For a module that describes the API.
 */
export function handlersOf(route: Partial<Record<Method, Serve>>): { method: Method; handler: Handler }[] {
  return methods.flatMap((method) => {
    const handler = route[method] && behind.get(route[method])
    return handler ? [{ method, handler }] : []
  })
}

/**
 * Every code that a call may be refused with: its own, and those of the frame around it.
 * @public For a module that describes the API.
 */
export function refusalsOf(method: Method, access: Handler['access'], operation: Operation): ErrorCode[] {
  const { query, params, body, isBodyOptional, refuses = [] } = operation
  const isWrite = method !== 'GET'
  const isGuarded = access !== 'public'
  const codes: (ErrorCode | false)[] = [
    Boolean(body) && 'malformed',
    isGuarded && 'unauthenticated',
    // Whoever acts for somebody else may only look.
    isGuarded && (access !== signedIn || isWrite) && 'forbidden',
    (isWrite || isGuarded || !isFile(operation)) && 'cross_site',
    Boolean(body) && 'too_large',
    Boolean(body) && !isBodyOptional && 'unsupported_media_type',
    Boolean(query ?? params ?? body) && 'invalid_input',
    'internal',
    isGuarded && 'unavailable',
  ]
  return [...new Set([...codes.filter((code) => code !== false), ...refuses])]
}

const apiHeaders = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

function options(request: Request, allow: Method[]): Response {
  const headers = {
    ...apiHeaders,
    ...corsHeaders(request),
    ...preflightHeaders(request, allow),
    'Cache-Control': 'private, no-store',
    Allow: allow.join(', '),
  }
  return new Response(null, { status: 204, headers })
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

function answer(result: unknown, cache = 'private, no-store'): Response {
  if (!(result instanceof Response)) {
    return new Response(JSON.stringify(result ?? null), {
      headers: { ...apiHeaders, 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': cache },
    })
  }
  // A copy: the headers of `Response.redirect()` and of fetched answers cannot be changed.
  const { status, statusText, body } = result
  const headers = new Headers({ ...apiHeaders, 'Cache-Control': status < 400 ? cache : 'private, no-store' })
  for (const [name, value] of result.headers) {
    if (name === 'set-cookie') headers.append(name, value)
    else headers.set(name, value)
  }
  // What `Response.json()` leaves out.
  if (headers.get('content-type') === 'application/json') headers.set('Content-Type', 'application/json; charset=utf-8')
  return new Response(body, { status, statusText, headers })
}

/** RFC 9457, plus `code`, which is stable, and `errors` by field. Whatever caused it stays in the log. */
function problem(error: AppError, requestId: string): Response {
  if (error.status >= 500) log.error({ error: error.cause ?? error }, 'request failed')
  const body = {
    type: `urn:plinth:problem:${error.code}`,
    title: error.title,
    status: error.status,
    detail: error.message,
    instance: `urn:plinth:request:${requestId}`,
    code: error.code,
    ...(error.fields && { errors: error.fields }),
  }
  return new Response(JSON.stringify(body), {
    status: error.status,
    headers: {
      ...apiHeaders,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'X-Request-Id': requestId,
      ...(error.allow && { Allow: error.allow.join(', ') }),
      ...(error.retryAfter && { 'Retry-After': String(error.retryAfter) }),
      ...(error.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    },
  })
}

const pathOf = ({ url }: Request) => new URL(url).pathname.slice(0, 200)

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

const isFile = ({ answers }: Operation) => Object.values(answers).some((answer) => 'file' in answer)

/** Data that a page loads as a script, a picture or a frame. Whether another site may show a file, its own header says. */
const isLoadedInto = (request: Request, operation: Operation) => !isFile(operation) && isEmbedded(request.headers)

/** What another site makes a browser ask for in somebody's name; unless that site was let in. */
function refuseAnotherSite(request: Request): void {
  if (isAllowedOrigin(request.headers.get('origin'))) return
  refuseCrossSite(request.headers, { isBrowserOnly: false })
}

/** Going somewhere is a `document`, and what a page's script asks for is `empty`, whom CORS is for. */
function isEmbedded(headers: Headers): boolean {
  return !['document', 'empty'].includes(headers.get('sec-fetch-dest') ?? 'empty')
}

const isJson = ({ headers }: Request) => headers.get('content-type')?.startsWith('application/json') ?? false

function readBody({ isBodyOptional, bodyLimit = 16 * 1024 }: HandlerSpec, request: Request): unknown {
  return isBodyOptional && !isJson(request) ? {} : readJson(request, bodyLimit)
}

async function readInput<Query extends z.ZodType, Params extends z.ZodType, Body extends z.ZodType>(
  spec: HandlerSpec<Query, Params, Body>,
  request: Request,
  context: RouteContext,
): Promise<HandlerInput<Query, Params, Body>> {
  const read = <Schema extends z.ZodType>(schema: Schema | undefined, input: unknown) =>
    schema ? parse(schema, input) : (undefined as z.output<Schema>)
  return {
    request,
    query: read(spec.query, spec.query && Object.fromEntries(new URL(request.url).searchParams)),
    params: read(spec.params, spec.params && (await context.params)),
    body: read(spec.body, spec.body && (await readBody(spec, request))),
  }
}
