import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

/** Path of the OpenAPI document; 404 without the docs module. */
export const documentPath = '/api/openapi.json'

/** OpenAPI documents by base URL, fetched once; null for an app without one. */
const contracts = new Map<string, Promise<Contract | null>>()

export async function contractOf(url: string): Promise<Contract | null> {
  const found = contracts.get(url) ?? read(url)
  contracts.set(url, found)
  return found
}

async function read(url: string): Promise<Contract | null> {
  const response = await fetch(url + documentPath, { signal: AbortSignal.timeout(20_000) })
  const hasDocument = response.ok && response.headers.get('content-type')?.startsWith('application/json')
  return hasDocument ? new Contract((await response.json()) as Document) : null
}

/** Validates responses against the OpenAPI document. */
export class Contract {
  readonly document: Document
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.document = document
    formats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'api', components: document.components })
  }

  /** The documented path that matches; if several do, the one with the fewest parameters. */
  pathOf(pathname: string): string | undefined {
    const parts = pathname.split('/')
    const matches = (path: string) => {
      const segments = path.split('/')
      return (
        segments.length === parts.length && segments.every((part, at) => part.startsWith('{') || part === parts[at])
      )
    }
    return Object.keys(this.document.paths)
      .filter(matches)
      .sort((a, b) => a.split('{').length - b.split('{').length)[0]
  }

  /** Describes how a response differs from the document; null if it matches. */
  mismatchOf(
    method: string,
    pathname: string,
    actual: { status: number; type: string | null; text: string },
  ): string | null {
    const { status, type, text } = actual
    const path = this.pathOf(pathname)
    const mediaType = type?.split(';')[0] ?? null
    const isProblem = mediaType === 'application/problem+json'
    if (!path) return status === 404 && (isProblem || method === 'HEAD') ? null : `${status} from an undocumented path`
    if (method === 'OPTIONS') return status === 204 ? null : `${status} to OPTIONS`
    const operation = this.document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    // Below a catch-all route a path may exist for some methods and be 404 for others.
    const isExpectedError = (status === 405 || status === 404) && (isProblem || method === 'HEAD')
    if (!operation) return isExpectedError ? null : `${status} to an undocumented method`
    const response = operation.responses[status]
    if (!response) return `${status} is not among ${Object.keys(operation.responses).join(', ')}`
    if (!response.content) return text === '' ? null : `${status} has a body`
    const content = mediaType ? response.content[mediaType] : undefined
    if (!content) return `${status} is ${mediaType}, not ${Object.keys(response.content).join(' or ')}`
    if (method === 'HEAD' || !content.schema) return null
    const name = `${method} ${path} ${status} ${mediaType}`
    const check = this.#compiled.get(name) ?? this.#compile(name, content.schema)
    if (check(JSON.parse(text))) return null
    return `${status}: ${this.#ajv.errorsText(check.errors, { dataVar: 'body' })}`
  }

  #compile(name: string, schema: object): ValidateFunction {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')
    const made = this.#ajv.compile(JSON.parse(text))
    this.#compiled.set(name, made)
    return made
  }
}
