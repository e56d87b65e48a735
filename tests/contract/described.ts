import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

interface Operation {
  responses: Record<string, { content?: Record<string, { schema?: object }> }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: object
}

/** Where an app describes itself, when it has the docs module. */
export const address = '/api/openapi.json'

/** What an app says of itself, once for each address that it is reached by; null where it says nothing. */
const known = new Map<string, Promise<Contract | null>>()

export async function contractOf(url: string): Promise<Contract | null> {
  const found = known.get(url) ?? read(url)
  known.set(url, found)
  return found
}

async function read(url: string): Promise<Contract | null> {
  const answer = await fetch(url + address, { signal: AbortSignal.timeout(20_000) })
  const isThere = answer.ok && answer.headers.get('content-type')?.startsWith('application/json')
  return isThere ? new Contract((await answer.json()) as Document) : null
}

/** Holds answers against the document. */
export class Contract {
  readonly document: Document
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true })
  readonly #compiled = new Map<string, ValidateFunction>()

  constructor(document: Document) {
    this.document = document
    formats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'api', components: document.components })
  }

  /** The path that an address falls under: the one with the fewest names in braces. */
  pathOf(pathname: string): string | undefined {
    const parts = pathname.split('/')
    const fits = (path: string) => {
      const wanted = path.split('/')
      return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
    }
    return Object.keys(this.document.paths)
      .filter(fits)
      .sort((a, b) => a.split('{').length - b.split('{').length)[0]
  }

  /** What is wrong with an answer; nothing when it is as the document has it. */
  faultOf(
    method: string,
    pathname: string,
    answer: { status: number; type: string | null; text: string },
  ): string | null {
    const { status, type, text } = answer
    const path = this.pathOf(pathname)
    const mediaType = type?.split(';')[0] ?? null
    const isProblem = mediaType === 'application/problem+json'
    if (!path)
      return status === 404 && (isProblem || method === 'HEAD') ? null : `${status} from an address that is not there`
    if (method === 'OPTIONS') return status === 204 ? null : `${status} to OPTIONS`
    const operation = this.document.paths[path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()]
    // Below a route that takes everything, an address is there for some methods and not for others.
    const isRefused = (status === 405 || status === 404) && (isProblem || method === 'HEAD')
    if (!operation) return isRefused ? null : `${status} to a method that is not there`
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
