import 'server-only'
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { appName } from '@/brand'
import { signedIn } from '@/core/auth/policy'
import { sessionCookieScheme } from '@/core/auth/session/settings'
import { type ErrorCode, errorCatalog } from '@/core/errors'
import { errorCodesOf } from '@/core/handler'
import type { ResponseSpec } from '@/core/operation'
import { findScopeProvider } from '@/scope-provider'
import { version } from '../../../package.json'
import type { ApiOperation, ApiResponse, OpenApi, Parameter, Schema } from './openapi'
import { type DocumentedOperation, findOperations } from './routes'

const codes = Object.keys(errorCatalog) as ErrorCode[]

/** RFC 9457 problem details, as src/core/handler.ts sends them. */
const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(codes),
    errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'Messages by field name' }),
  })
  .meta({ id: 'Problem', description: 'An error. `code` is stable. `title` and `detail` can change.' })

const description = `Generated from the schemas the app enforces. Every path that supports GET also supports HEAD, and OPTIONS \
lists the supported methods. Other methods get 405. Requests without a Bearer token use the session cookie.`

/** Collects named schemas: each is defined once under `components` and referenced elsewhere. */
class Schemas {
  readonly named: Record<string, Schema> = {}

  add(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { $schema, ...made } = z.toJSONSchema(schema, {
      io,
      // `format` is enough; zod's regular expression is long and specific to JavaScript.
      override: ({ jsonSchema }) => {
        if (jsonSchema.format) delete jsonSchema.pattern
      },
    })
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')
    const { $defs = {}, ...rest }: Schema & { $defs?: Record<string, Schema> } = JSON.parse(text)
    for (const [name, one] of Object.entries($defs)) {
      const known = this.named[name]
      if (known && JSON.stringify(known) !== JSON.stringify(one))
        throw new Error(`Two different schemas have the id ${name}`)
      this.named[name] = one
    }
    return rest
  }
}

/**
 * Builds the OpenAPI 3.1 document of the app. It is independent of the deployment: the route that serves it adds the server
 * URL and the cookie name.
 */
export async function describeApi(): Promise<OpenApi> {
  const described = await findOperations()
  const schemas = new Schemas()
  schemas.add(Problem, 'output')
  const paths: OpenApi['paths'] = {}
  for (const one of described) {
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: describeOperation(one, schemas) }
  }
  const named = Object.entries(schemas.named).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    openapi: '3.1.1',
    info: { title: `${appName} API`, version, description },
    tags: [...new Set(described.map(({ owner }) => owner))].map((name) => ({ name })),
    paths,
    components: { schemas: Object.fromEntries(named), headers },
  }
}

function describeOperation(
  { path, method, owner, access, dependsOnCaller, isCatchAll, operation }: DocumentedOperation,
  schemas: Schemas,
): ApiOperation {
  const { summary, responses: declaredResponses, body, form, upload, isBodyOptional } = operation
  const content = {
    ...(body && { 'application/json': { schema: schemas.add(body, 'input') } }),
    ...(form && { 'application/x-www-form-urlencoded': { schema: schemas.add(form, 'input') } }),
    ...(upload && { [upload]: {} }),
  }
  // A catch-all responds 404, not 422, to a path parameter that does not match.
  const checked = isCatchAll ? { ...operation, params: undefined } : operation
  const responses: ApiOperation['responses'] = {}
  for (const [status, response] of Object.entries(declaredResponses))
    responses[status] = successResponse(status, response, schemas)
  for (const errorResponse of errorResponses(errorCodesOf(method, access, checked))) {
    const { status, response } = errorResponse
    responses[status] = { ...response, content: { ...responses[status]?.content, ...response.content } }
  }
  const authentication: ApiOperation['security'] = [{ bearer: [] }, { cookie: [] }]
  return {
    operationId: operationIdOf(method, path),
    summary,
    description: describeAccess(access, path),
    tags: [owner],
    parameters: parametersOf(path, operation, schemas),
    ...(Object.keys(content).length > 0 && { requestBody: { required: !isBodyOptional, content } }),
    responses,
    security: access !== 'public' ? authentication : dependsOnCaller ? [{}, ...authentication] : [],
    ...(access !== 'public' && { 'x-permission': access.permission }),
    ...(access !== 'public' && path.includes('{scope}') && { 'x-scope': scopeNoun() }),
  }
}

/** The operation id: `GET /api/things/{id}` becomes `getThingsById`. */
function operationIdOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, '')
    .replaceAll(/\{(\w+)\}/g, 'by-$1')
    .split(/\W+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

const scopeNoun = () => findScopeProvider()?.noun.one ?? 'scope'

function describeAccess(access: DocumentedOperation['access'], path: string): string {
  if (access === 'public') return 'Public.'
  if (access === signedIn) return 'Requires you to be signed in.'
  const place = access.where !== 'app' && path.includes('{scope}') ? ` in the ${scopeNoun()}` : ''
  return `Requires the \`${access.permission}\` permission${place}. Roles${place}: ${access.roles.join(', ')}.`
}

function parametersOf(
  path: string,
  { params, query }: DocumentedOperation['operation'],
  schemas: Schemas,
): Parameter[] {
  const ofPath = params && schemas.add(params, 'input').properties
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(name, 'path', true, ofPath?.[name] ?? describeParameter(name)),
  )
  const ofQuery = query && schemas.add(query, 'input')
  const inQuery = Object.entries(ofQuery?.properties ?? {}).map(([name, schema]) =>
    parameter(name, 'query', ofQuery?.required?.includes(name) ?? false, schema),
  )
  return [...inPath, ...inQuery]
}

const describeParameter = (name: string): Schema =>
  name === 'scope' ? { type: 'string', description: `Slug or id of the ${scopeNoun()}` } : { type: 'string' }

function parameter(
  name: string,
  parameterIn: Parameter['in'],
  required: boolean,
  { description, ...schema }: Schema,
): Parameter {
  return { name, in: parameterIn, required, ...(description && { description }), schema }
}

function successResponse(status: string, response: ResponseSpec, schemas: Schemas): ApiResponse {
  if ('redirect' in response)
    return { description: `Redirects to ${response.redirect}`, headers: headerRef('Location') }
  if ('file' in response) return { description: 'File', content: { [response.file]: {} } }
  const schema = schemas.add(response, 'output')
  return { description: STATUS_CODES[status] ?? status, content: { 'application/json': { schema } } }
}

/** One response per status, as OpenAPI requires; it lists all error codes of that status. */
function errorResponses(errors: ErrorCode[]): { status: number; response: ApiResponse }[] {
  const byStatus = Map.groupBy(
    codes.filter((code) => errors.includes(code)),
    (code) => errorCatalog[code].status,
  )
  return [...byStatus].map(([status, errorCodes]) => {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: errorCodes } } }],
    }
    return {
      status,
      response: {
        description: errorCodes.map((code) => `\`${code}\`: ${errorCatalog[code].title}`).join('; '),
        headers: {
          ...headerRef('X-Request-Id'),
          ...(status === 401 && headerRef('WWW-Authenticate')),
          ...((status === 429 || status === 503) && headerRef('Retry-After')),
        },
        content: { 'application/problem+json': { schema } },
      },
    }
  })
}

const stringSchema = { type: 'string' }
const headers = {
  Location: { description: 'The redirect target', schema: stringSchema },
  'Retry-After': { description: 'Seconds to wait before trying again', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'The authentication scheme', schema: stringSchema },
  'X-Request-Id': { description: 'The request ID, also in `instance` and in the log', schema: stringSchema },
}

const headerRef = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } })

/** A function, because the cookie name depends on AUTH_URL: it has the `__Host-` prefix over https. */
export const securitySchemes = () => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A session token or an API token. When it is sent, the cookie is ignored.',
  },
  cookie: {
    ...sessionCookieScheme(),
    description: 'Set at sign-in, for pages of this app. From other origins, send a token.',
  },
})
