import 'server-only'
import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { appName } from '@/core/app-name'
import { signedIn } from '@/core/auth/policy'
import { sessionCookieScheme } from '@/core/auth/settings'
import { catalogue, type ErrorCode } from '@/core/errors'
import { refusalsOf } from '@/core/handler'
import type { Answer } from '@/core/operation'
import { version } from '../../../package.json'
import type { ApiOperation, ApiResponse, OpenApi, Parameter, Schema } from './openapi'
import { type Described, findDescribed } from './routes'

const codes = Object.keys(catalogue) as ErrorCode[]

/** RFC 9457, as src/core/handler.ts sends it. */
const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(codes),
    errors: z.record(z.string(), z.array(z.string())).optional().meta({ description: 'Messages by field' }),
  })
  .meta({ id: 'Problem', description: 'A refusal. `code` is stable, the words are not.' })

const description = `Made from the schemas that the app checks. Every address that answers GET answers HEAD, and OPTIONS says \
which methods it has; any other is refused with 405. Without an Authorization header the cookie decides who is calling.`

/** Schemas with a name, which the document holds once, and everything else refers to. */
class Schemas {
  readonly named: Record<string, Schema> = {}

  take(schema: z.ZodType, io: 'input' | 'output'): Schema {
    const { $schema, ...made } = z.toJSONSchema(schema, {
      io,
      // A format says it; the expression that checks it is long, and another in every language.
      override: ({ jsonSchema }) => {
        if (jsonSchema.format) delete jsonSchema.pattern
      },
    })
    const text = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')
    const { $defs = {}, ...rest }: Schema & { $defs?: Record<string, Schema> } = JSON.parse(text)
    for (const [name, one] of Object.entries($defs)) {
      const known = this.named[name]
      if (known && JSON.stringify(known) !== JSON.stringify(one)) throw new Error(`Two schemas are called ${name}`)
      this.named[name] = one
    }
    return rest
  }
}

/**
 * All that the app answers, as OpenAPI 3.1. Nothing in it depends on where the app runs: settings of a deployment are put
 * in by the route that serves it.
 */
export async function describeApi(): Promise<OpenApi> {
  const described = await findDescribed()
  const schemas = new Schemas()
  schemas.take(Problem, 'output')
  const paths: OpenApi['paths'] = {}
  for (const one of described) {
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: describe(one, schemas) }
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

function describe(
  { path, method, owner, access, looksAtCaller, isCatchAll, operation }: Described,
  schemas: Schemas,
): ApiOperation {
  const { summary, answers, body, form, upload, isBodyOptional } = operation
  const content = {
    ...(body && { 'application/json': { schema: schemas.take(body, 'input') } }),
    ...(form && { 'application/x-www-form-urlencoded': { schema: schemas.take(form, 'input') } }),
    ...(upload && { [upload]: {} }),
  }
  // A catch-all has nothing where a part of the path does not fit, and does not call it bad input.
  const checked = isCatchAll ? { ...operation, params: undefined } : operation
  const responses: ApiOperation['responses'] = {}
  for (const [status, answer] of Object.entries(answers)) responses[status] = answerResponse(status, answer, schemas)
  for (const refusal of refusalResponses(refusalsOf(method, access, checked))) {
    const { status, response } = refusal
    responses[status] = { ...response, content: { ...responses[status]?.content, ...response.content } }
  }
  const callers: ApiOperation['security'] = [{ bearer: [] }, { cookie: [] }]
  return {
    operationId: nameOf(method, path),
    summary,
    description: whoMay(access),
    tags: [owner],
    parameters: parametersOf(path, operation, schemas),
    ...(Object.keys(content).length > 0 && { requestBody: { required: !isBodyOptional, content } }),
    responses,
    security: access !== 'public' ? callers : looksAtCaller ? [{}, ...callers] : [],
    ...(access !== 'public' && { 'x-permission': access.permission }),
  }
}

/** `GET /api/things/{id}` is `getThingsById`. */
function nameOf(method: string, path: string): string {
  const words = path
    .replace(/^\/api\//, '')
    .replaceAll(/\{(\w+)\}/g, 'by-$1')
    .split(/\W+/)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function whoMay(access: Described['access']): string {
  if (access === 'public') return 'For anybody.'
  if (access === signedIn) return 'For anybody who is signed in.'
  return `For callers with the permission \`${access.permission}\`: ${access.roles.join(', ')}.`
}

function parametersOf(path: string, { params, query }: Described['operation'], schemas: Schemas): Parameter[] {
  const ofPath = params && schemas.take(params, 'input').properties
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(name, 'path', true, ofPath?.[name] ?? { type: 'string' }),
  )
  const ofQuery = query && schemas.take(query, 'input')
  const inQuery = Object.entries(ofQuery?.properties ?? {}).map(([name, schema]) =>
    parameter(name, 'query', ofQuery?.required?.includes(name) ?? false, schema),
  )
  return [...inPath, ...inQuery]
}

function parameter(
  name: string,
  place: Parameter['in'],
  required: boolean,
  { description, ...schema }: Schema,
): Parameter {
  return { name, in: place, required, ...(description && { description }), schema }
}

function answerResponse(status: string, answer: Answer, schemas: Schemas): ApiResponse {
  if ('leadsTo' in answer) return { description: `Leads to ${answer.leadsTo}`, headers: refer('Location') }
  if ('file' in answer) return { description: 'A file', content: { [answer.file]: {} } }
  const schema = schemas.take(answer, 'output')
  return { description: STATUS_CODES[status] ?? status, content: { 'application/json': { schema } } }
}

/** One response for each status: OpenAPI has no more, and a status may have several codes. */
function refusalResponses(refusals: ErrorCode[]): { status: number; response: ApiResponse }[] {
  const byStatus = Map.groupBy(
    codes.filter((code) => refusals.includes(code)),
    (code) => catalogue[code].status,
  )
  return [...byStatus].map(([status, given]) => {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: given } } }],
    }
    return {
      status,
      response: {
        description: given.map((code) => `\`${code}\`: ${catalogue[code].title}`).join('; '),
        headers: {
          ...refer('X-Request-Id'),
          ...(status === 401 && refer('WWW-Authenticate')),
          ...((status === 429 || status === 503) && refer('Retry-After')),
        },
        content: { 'application/problem+json': { schema } },
      },
    }
  })
}

const text = { type: 'string' }
const headers = {
  Location: { description: 'Where to go', schema: text },
  'Retry-After': { description: 'Seconds after which trying again makes sense', schema: { type: 'integer' } },
  'WWW-Authenticate': { description: 'How to say who is calling', schema: text },
  'X-Request-Id': { description: 'The same as in `instance`; the log knows it', schema: text },
}

const refer = (name: keyof typeof headers) => ({ [name]: { $ref: `#/components/headers/${name}` } })

/** The two ways to say who is calling; the cookie has another name over https. */
export const securitySchemes = () => ({
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a session, or one that a module has given out. It decides alone when it is sent.',
  },
  cookie: {
    ...sessionCookieScheme(),
    description: 'Set by signing in. For pages of this app; other origins send a token.',
  },
})
