import 'server-only'
import { z } from 'zod'
import { modules } from '@/modules'
import type { Transaction } from '../db/client'
import type { UserField, UserFieldPlace } from '../module'

/** The fields that modules keep about users, and show in this place; without a place, all of them. */
export function userFieldsIn(place?: UserFieldPlace): UserField[] {
  const fields = modules.flatMap(({ userFields }) => userFields ?? [])
  return place ? fields.filter((field) => field.in.includes(place)) : fields
}

// PostgreSQL stores neither NUL nor half of a surrogate pair.
const storableText = z
  .string()
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'Remove invalid characters')

/** Schemas of the fields, for the input of an action. A field that is not sent stays as it is. */
export function userFieldInputs(place: UserFieldPlace): Record<string, z.ZodType> {
  return Object.fromEntries(userFieldsIn(place).map(({ name, schema }) => [name, storableText.pipe(schema).optional()]))
}

/** The names of the fields, for `preserve` of an action. `never`, because its type knows only the action's own names. */
export const userFieldNames = (place: UserFieldPlace) => userFieldsIn(place).map(({ name }) => name) as never[]

/** The fields in the input of an action, and nothing else of it. */
export function pickUserFields(place: UserFieldPlace, input: object): Record<string, string> {
  const given = new Map<string, unknown>(Object.entries(input))
  return Object.fromEntries(
    userFieldsIn(place).flatMap(({ name, schema }) => {
      const { data } = schema.safeParse(given.get(name))
      return data === undefined ? [] : [[name, data]]
    }),
  )
}

/** Saves the fields that the input of an action contains. */
export async function saveUserFields(
  tx: Transaction,
  userId: string,
  place: UserFieldPlace,
  input: object,
): Promise<void> {
  const values = pickUserFields(place, input)
  for (const { name, save } of userFieldsIn(place)) {
    const value = values[name]
    if (value !== undefined) await save(tx, userId, value)
  }
}

/** The values of these fields by user, then by name. A field that a user has not filled in is null. */
export async function loadUserFields(
  fields: UserField[],
  userIds: string[],
): Promise<Map<string, Record<string, string | null>>> {
  if (fields.length === 0 || userIds.length === 0) return new Map()
  const columns = await Promise.all(fields.map(async ({ name, load }) => ({ name, values: await load(userIds) })))
  return new Map(
    userIds.map((id) => [id, Object.fromEntries(columns.map(({ name, values }) => [name, values.get(id) || null]))]),
  )
}
