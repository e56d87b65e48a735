import { exampleOf } from './example'
import type { ApiOperation, Schema } from './openapi'

/** A call, ready to be written down or made. */
export interface Call {
  method: string
  path: string
  operation: ApiOperation
  named: Record<string, Schema>
}

interface Body {
  type: string
  /** Undefined for a file. */
  text?: string
}

/** The body to begin with: JSON over several lines, the fields of a form, or a file. */
export function bodyOf({ operation, named }: Call): Body | undefined {
  const [[type, { schema }] = ['', {}]] = Object.entries(operation.requestBody?.content ?? {})
  if (!type) return
  if (!schema) return { type }
  const example = exampleOf(schema, named)
  const isForm = type === 'application/x-www-form-urlencoded'
  const text = isForm
    ? new URLSearchParams(example as Record<string, string>).toString()
    : JSON.stringify(example, null, 2)
  return { type, text }
}

/** With something in the place of names in braces, and of the parameters that must be there. */
function addressOf({ path, operation, named }: Call): string {
  const filled = operation.parameters.reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, String(exampleOf(schema, named))),
    path,
  )
  const query = operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, named)))}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

const wantsCaller = ({ operation }: Call) => operation.security.some((way) => 'bearer' in way)

export function curlSample(call: Call): string {
  const body = bodyOf(call)
  const lines = [
    `curl ${call.method === 'GET' ? '' : `-X ${call.method} `}"$APP${addressOf(call)}"`,
    ...(wantsCaller(call) ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body?.text === undefined ? [] : [`-H 'Content-Type: ${body.type}'`, `-d '${compact(body.type, body.text)}'`]),
    ...(body && body.text === undefined ? ['--data-binary @file'] : []),
  ]
  return lines.join(' \\\n  ')
}

export function fetchSample(call: Call): string {
  const body = bodyOf(call)
  const headers = [
    ...(wantsCaller(call) ? [`    Authorization: \`Bearer \${token}\`,`] : []),
    ...(body?.text === undefined ? [] : [`    'Content-Type': '${body.type}',`]),
  ]
  const options = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body ? [`  body: ${bodyIn(body)},`] : []),
  ]
  const address = `\`\${app}${addressOf(call)}\``
  return options.length > 0
    ? [`const answer = await fetch(${address}, {`, ...options, '})'].join('\n')
    : `const answer = await fetch(${address})`
}

function bodyIn({ type, text }: Body): string {
  if (text === undefined) return 'file'
  return type === 'application/json' ? jsonIn(text) : `'${text}'`
}

const compact = (type: string, text: string) => (type === 'application/json' ? JSON.stringify(JSON.parse(text)) : text)

const jsonIn = (text: string) => `JSON.stringify(${text.replaceAll('\n', '\n  ')})`
