import type { Schema } from './openapi'

const byFormat: Record<string, string> = {
  uuid: '7a4e1c0e-3a52-4d6e-9a53-0c8f2f1d9b11',
  email: 'ada@example.com',
  'date-time': '2027-01-31T12:00:00.000Z',
  uri: 'https://app.example.com/',
}

export const nameOfRef = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

/** An example value that is valid against the schema. */
export function exampleOf(schema: Schema, named: Record<string, Schema>): unknown {
  if (schema.$ref) return exampleOf(named[nameOfRef(schema.$ref)] ?? {}, named)
  const [given] = [...(schema.examples ?? []), schema.const, schema.default, ...(schema.enum ?? [])].filter(
    (value) => value !== undefined,
  )
  if (given !== undefined) return given
  const first = schema.anyOf?.[0]
  if (first) return exampleOf(first, named)
  const [type] = [schema.type].flat()
  if (type === 'array') return schema.items ? [exampleOf(schema.items, named)] : []
  if (type === 'object') {
    const fields = Object.entries(schema.properties ?? {})
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, named)]))
  }
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return false
  return byFormat[schema.format ?? ''] ?? 'text'
}
