import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { unstable_rethrow } from 'next/navigation'
import type { z } from 'zod'
import { type Allow, type AppAllow, type ScopeAllow, signedIn } from './auth/policy'
import {
  type ActorFor,
  authorizeCaller,
  forgetSession,
  getCaller,
  hasCookies,
  rejectImpersonation,
} from './auth/session/actor'
import { env } from './env'
import { AppError, toAppError } from './errors'
import { corsHeaders, isAllowedOrigin } from './http/cors'
import { noteRefusal } from './http/note-refusal'
import { currentRequest, readBytes, readJson, rejectCrossSite, requestIdFrom, withRequest } from './http/request'
import { errorResponse, optionsResponse, toResponse, withHeaders } from './http/respond'
import { type HandlerResult, isFile, type Operation, type Responses } from './operation'
import { parse } from './parse'

export { errorCodesOf } from './operation'

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof methods)[number]

/** A path without parameters has no `params`. */
type RouteContext = { params: Promise<Record<string, string | string[] | undefined> | undefined> }
type Serve = (request: Request, context: RouteContext) => Promise<Response>

export interface Handler {
  serve: Serve
  access: Allow | 'public'
  /** Its API description; for a catch-all route, one for each of its paths. */
  operation: Operation & Pick<HandlerSpec, 'paths' | 'dependsOnCaller'>
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
  ResponseMap extends Responses = Responses,
> extends Omit<Operation, 'form'> {
  responses: ResponseMap
  query?: Query
  params?: Params
  body?: Body
  /** The maximum size of the body in bytes. */
  bodyLimit?: number
  /** `Cache-Control` of a successful response; errors are always `no-store`. */
  cache?: string
  /** For a catch-all route: the paths below it that it serves, such as `callback/{provider}`. All others are `not_found`. */
  paths?: Readonly<Record<string, Operation>>
  /** It is public, but its response depends on the caller. */
  dependsOnCaller?: boolean
}

interface GuardedSpec<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  ResponseMap extends Responses,
  Allowed extends Allow,
> extends Omit<HandlerSpec<Query, Params, Body, ResponseMap>, 'dependsOnCaller'> {
  /** If the permission is decided in a scope, the path has the parameter `scope`; `actor` has the scope and the role there. */
  allow: Allowed
  run(
    context: HandlerInput<Query, Params, Body> & {
      actor: ActorFor<Allowed>
      /** Reads a body that is not JSON, up to this many bytes. */
      readUpload: (limit: number) => Promise<Buffer>
      /** For a long response: throws if the caller has lost the permission or the session meanwhile. */
      recheckActor: () => Promise<ActorFor<Allowed>>
    },
  ): HandlerResult<ResponseMap> | Promise<HandlerResult<ResponseMap>>
}

interface PublicSpec<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  ResponseMap extends Responses,
> extends HandlerSpec<Query, Params, Body, ResponseMap> {
  run(context: HandlerInput<Query, Params, Body>): HandlerResult<ResponseMap> | Promise<HandlerResult<ResponseMap>>
}

/** A route handler for callers with a permission. Returns data (sent as JSON) or a `Response`. */
export function defineHandler<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  const ResponseMap extends Responses,
  const Allowed extends AppAllow | ScopeAllow,
>(spec: GuardedSpec<Query, Params, Body, ResponseMap, Allowed>): Handler {
  const mayBeEmbedded = isPicture(spec)
  return {
    access: spec.allow,
    operation: spec,
    serve: async (request, context) => {
      rejectForeignSite(request)
      if (!mayBeEmbedded && isEmbedded(request.headers))
        throw new AppError('cross_site', 'Open this URL directly. It can’t be embedded in a page.')
      if (spec.allow.where !== 'app') await nameScope(context)
      const findActor = async () => authorizeCaller(await getCaller(), spec.allow)
      let actor = await findActor()
      if ((spec.allow as Allow) === signedIn && !isRead(request)) await rejectImpersonation()
      // A body can take minutes to arrive, and a response to be read. Bound, because a stream is read outside of the request.
      const recheckActor = AsyncLocalStorage.bind(() => {
        forgetSession()
        return findActor()
      })
      const readUpload = async (limit: number) => {
        const bytes = await readBytes(request, limit)
        await recheckActor()
        return bytes
      }
      const input = await readInput(spec, request, context)
      if (spec.body) actor = await recheckActor()
      return toResponse(await spec.run({ ...input, actor, readUpload, recheckActor }), spec.cache)
    },
  }
}

/** Notes the scope of the URL before the session is read: one query reads both. */
async function nameScope({ params }: RouteContext): Promise<void> {
  const scope = (await params)?.scope
  const request = currentRequest()
  if (request && scope !== undefined) request.scopeName = String(scope)
}

/** A route handler that needs no session; it does not look up the caller. */
export function definePublicHandler<
  Query extends z.ZodType,
  Params extends z.ZodType,
  Body extends z.ZodType,
  const ResponseMap extends Responses,
>(spec: PublicSpec<Query, Params, Body, ResponseMap>): Handler {
  // Data that a page loads as a script, image or frame. For files, `Cross-Origin-Resource-Policy` decides instead.
  const isData = !isFile(spec)
  return {
    access: 'public',
    operation: spec,
    serve: async (request, context) => {
      if (!isRead(request) || (isData && isEmbedded(request.headers))) rejectForeignSite(request)
      return toResponse(await spec.run(await readInput(spec, request, context)), spec.cache)
    },
  }
}

/**
 * The exports of a `route.ts`. Methods without a handler respond with 405 and an `Allow` header (Next alone would send 405
 * without `Allow`).
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
          if (handler) {
            const response = await handler.serve(request, context)
            // The body of a HEAD response is never read, so a stream would never end by itself.
            if (method === 'HEAD') await response.body?.cancel()
            return withHeaders(response, corsHeaders(request))
          }
          if (method === 'OPTIONS') return optionsResponse(request, allow)
          throw new AppError('method_not_allowed', undefined, { allow })
        } catch (error) {
          unstable_rethrow(error)
          const refusal = toAppError(error)
          if (refusal.status < 500) await noteRefusal(refusal, `${request.method} ${pathOf(request)}`)
          return withHeaders(errorResponse(refusal, request, requestId), corsHeaders(request))
        }
      })
    }
  }
  const route = Object.fromEntries(methods.map((method) => [method, serve(method)])) as Record<Method, Serve>
  for (const [method, handler] of Object.entries(handlers)) handlerByExport.set(route[method as Method], handler)
  return route
}

/** The handler behind each export of a route. Kept apart, because Next requires plain functions as exports. */
const handlerByExport = new WeakMap<object, Handler>()

/**
 * The handlers of a `route.ts`, by method. HEAD and OPTIONS are left out: every route has them.
 * @public For a module that describes the API.
 */
export function handlersOf(route: Partial<Record<Method, Serve>>): { method: Method; handler: Handler }[] {
  return methods.flatMap((method) => {
    const handler = route[method] && handlerByExport.get(route[method])
    return handler ? [{ method, handler }] : []
  })
}

const pathOf = ({ url }: Request) => new URL(url).pathname.slice(0, 200)

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

const isPicture = ({ responses }: Operation) =>
  Object.values(responses).some((response) => 'file' in response && response.file.startsWith('image/'))

/**
 * Rejects requests that another site makes a browser send (CSRF), unless its origin is in CORS_ORIGINS. An allowed subdomain
 * of our own site passes `SameSite`, so without CORS_CREDENTIALS requests with cookies are rejected.
 */
function rejectForeignSite({ headers }: Request): void {
  if (isAllowedOrigin(headers.get('origin')) && (env.CORS_CREDENTIALS || !hasCookies(headers))) return
  rejectCrossSite(headers, { isBrowserOnly: false })
}

/** Neither a navigation (`document`) nor a fetch by a script (`empty`), which CORS covers. */
function isEmbedded(headers: Headers): boolean {
  const destination = headers.get('sec-fetch-dest')
  return destination !== null && destination !== 'empty' && destination !== 'document'
}

async function readBody<Body extends z.ZodType>(
  { isBodyOptional, bodyLimit = 16 * 1024 }: HandlerSpec,
  schema: Body,
  request: Request,
): Promise<z.output<Body>> {
  try {
    return parse(schema, await readJson(request, bodyLimit))
  } catch (error) {
    if (isBodyOptional) return parse(schema, {})
    throw error
  }
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
    body: spec.body ? await readBody(spec, spec.body, request) : (undefined as z.output<Body>),
  }
}
