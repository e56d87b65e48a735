import { exampleOf } from './example'
import type { ApiOperation, Schema } from './openapi'

/** One operation, with everything needed to show or send a request. */
export interface Call {
  method: string
  path: string
  operation: ApiOperation
  named: Record<string, Schema>
}

interface Body {
  type: string
  /** Undefined for a file upload. */
  text?: string
}

/** The example body: formatted JSON, form fields, or a file. */
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

/** The path with example values for its parameters and the required query parameters. */
function exampleUrl({ path, operation, named }: Call): string {
  const filled = operation.parameters.reduce(
    (text, { name, schema }) => text.replace(`{${name}}`, String(exampleOf(schema, named))),
    path,
  )
  const query = operation.parameters
    .filter((one) => one.in === 'query' && one.required)
    .map(({ name, schema }) => `${name}=${encodeURIComponent(String(exampleOf(schema, named)))}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

export const needsAuthentication = ({ operation }: Call) => operation.security.some((scheme) => 'bearer' in scheme)

/** An example of the first successful response, if it is JSON. */
export function responseSample({ operation, named }: Call): { status: string; text: string } | undefined {
  for (const [status, { content }] of Object.entries(operation.responses)) {
    const schema = content?.['application/json']?.schema
    if (Number(status) < 300 && schema) return { status, text: JSON.stringify(exampleOf(schema, named), null, 2) }
  }
}

export function curlSample(call: Call): string {
  const body = bodyOf(call)
  const lines = [
    `curl ${call.method === 'GET' ? '' : `-X ${call.method} `}"$APP${exampleUrl(call)}"`,
    ...(needsAuthentication(call) ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body?.text === undefined ? [] : [`-H 'Content-Type: ${body.type}'`, `-d '${compact(body.type, body.text)}'`]),
    ...(body && body.text === undefined ? ['--data-binary @file'] : []),
  ]
  return lines.join(' \\\n  ')
}

export function fetchSample(call: Call): string {
  const body = bodyOf(call)
  const headers = [
    ...(needsAuthentication(call) ? [`    Authorization: \`Bearer \${token}\`,`] : []),
    ...(body?.text === undefined ? [] : [`    'Content-Type': '${body.type}',`]),
  ]
  const options = [
    ...(call.method === 'GET' ? [] : [`  method: '${call.method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body ? [`  body: ${bodySource(body)},`] : []),
  ]
  const url = `\`\${app}${exampleUrl(call)}\``
  return options.length > 0
    ? [`const response = await fetch(${url}, {`, ...options, '})'].join('\n')
    : `const response = await fetch(${url})`
}

function bodySource({ type, text }: Body): string {
  if (text === undefined) return 'file'
  return type === 'application/json' ? jsonSource(text) : `'${text}'`
}

const compact = (type: string, text: string) => (type === 'application/json' ? JSON.stringify(JSON.parse(text)) : text)

const jsonSource = (text: string) => `JSON.stringify(${text.replaceAll('\n', '\n  ')})`
