import { Fragment } from 'react'
import { nameOfRef } from '../example'
import type { Schema } from '../openapi'

/** Short description of a schema's type, such as `integer 1 to 100`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOfRef(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' | ')
  if (schema.type === 'array') return schema.items ? `array of ${typeOf(schema.items)}` : 'array'
  if (typeof schema.additionalProperties === 'object') return `map of ${typeOf(schema.additionalProperties)}`
  const range = [schema.minimum, schema.maximum].every((end) => end !== undefined && Math.abs(end) < 2 ** 53 - 1)
    ? ` ${schema.minimum} to ${schema.maximum}`
    : ''
  const length = schema.maxLength === undefined ? '' : `, up to ${schema.maxLength} characters`
  return `${schema.format ?? [schema.type ?? 'any'].flat().join(' | ')}${range}${length}`
}

interface Field {
  name: string
  type: string
  isRequired: boolean
  description?: string | undefined
}

type Named = Record<string, Schema>

/** All properties of a schema, nested ones as paths: `user.email`, `features[].title`. */
function fieldsOf(schema: Schema, named: Named, prefix = ''): Field[] {
  if (schema.$ref) return fieldsOf(named[nameOfRef(schema.$ref)] ?? {}, named, prefix)
  if (schema.type === 'array' && schema.items) return fieldsOf(schema.items, named, `${prefix}[]`)
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix ? `${prefix}.${key}` : key
    const isRequired = schema.required?.includes(key) ?? false
    return [
      { name, type: typeOf(field), isRequired, description: describeField(field) },
      ...fieldsOf(field, named, name),
    ]
  })
}

function describeField({ description, default: defaultValue }: Schema): string | undefined {
  return [description, defaultValue !== undefined && `Defaults to ${JSON.stringify(defaultValue)}`]
    .filter(Boolean)
    .join('. ')
}

/** How many fields `Fields` shows. */
export const countFields = (schema: Schema, named: Named): number =>
  (schema.anyOf ?? [schema]).reduce((sum, one) => sum + fieldsOf(one, named).length, 0)

/** The fields of a schema, or of each alternative of an `anyOf`. */
export function Fields({ schema, named }: { schema: Schema; named: Named }) {
  return (schema.anyOf ?? [schema]).map((one) => (
    <div key={one.$ref ?? 'only'} className="grid grid-cols-1 gap-2 empty:hidden">
      {one.$ref && <p className="font-mono text-xs">{nameOfRef(one.$ref)}</p>}
      <FieldList fields={fieldsOf(one, named)} />
    </div>
  ))
}

/** Definition list of field names and types. Few elements: the page has many hundred fields. */
export function FieldList({ fields }: { fields: Field[] }) {
  if (fields.length === 0) return null
  return (
    <dl className="grid gap-x-4 text-sm sm:grid-cols-[minmax(9rem,14rem)_minmax(0,1fr)]">
      {fields.map(({ name, type, isRequired, description }) => (
        <Fragment key={name}>
          <dt className="wrap-anywhere font-mono text-xs leading-6">
            {name}
            {!isRequired && <span className="font-sans text-muted-foreground"> optional</span>}
          </dt>
          <dd className="wrap-anywhere pb-2 text-muted-foreground">
            <span className="font-mono text-xs">{type}</span>
            {description && ` · ${description}`}
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}
