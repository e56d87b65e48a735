import type { z } from 'zod'
import { AppError, type FieldErrors } from './errors'

/** Validates input against its schema; throws `invalid_input` with messages by field. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  // A Map, because a caller may choose the names, and "constructor" is a key of every object.
  const messages = new Map<string, string[]>()
  for (const issue of result.error.issues) {
    const name = issue.path.join('.')
    messages.set(name, [...(messages.get(name) ?? []), issue.message])
  }
  const fields: FieldErrors = Object.fromEntries(messages)
  throw new AppError('invalid_input', undefined, { fields })
}

/** A form as a plain object: repeated fields become arrays, the `$ACTION_` fields of React are left out. */
export function formToObject(form: FormData): Record<string, unknown> {
  // One pass: `getAll` for each name would be quadratic and take seconds for a form with very many fields.
  const fields = new Map<string, unknown[]>()
  for (const [name, value] of form) {
    if (name.startsWith('$ACTION_')) continue
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]))
}
