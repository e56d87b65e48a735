import type { z } from 'zod'
import { AppError, type FieldErrors } from './errors'

/** Checks input against its schema; what does not fit is refused as `invalid_input`, with messages by field. */
export function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  // A Map, because a caller may choose the names: "constructor" is one, too.
  const messages = new Map<string, string[]>()
  for (const issue of result.error.issues) {
    const name = issue.path.join('.')
    messages.set(name, [...(messages.get(name) ?? []), issue.message])
  }
  const fields: FieldErrors = Object.fromEntries(messages)
  throw new AppError('invalid_input', undefined, { fields })
}

/** A form as a plain object: repeated fields become arrays, Next's own bookkeeping is left out. */
export function formToObject(form: FormData): Record<string, unknown> {
  // One pass: asking the form for each name takes seconds for as many names as a body has room for.
  const fields = new Map<string, unknown[]>()
  for (const [name, value] of form) {
    if (name.startsWith('$ACTION_')) continue
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]))
}
