import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'

/** Beside which row a page of a list begins. */
export interface Place {
  at: Date
  id: string
}

const Written = z.tuple([z.iso.datetime(), z.uuid()])

export const toPlace = ({ at, id }: Place) => `${at.toISOString()}_${id}`

/** Null for whatever is no place: the list then begins at its beginning. */
export function fromPlace(text: string): Place | null {
  const { data } = Written.safeParse(text.split('_'))
  if (!data) return null
  const at = new Date(data[0])
  // The database knows no year 0.
  return at.getUTCFullYear() > 0 ? { at, id: data[1] } : null
}

/** Of a list whose newest comes first: what comes after that place. Without one, all of it. */
export const isBefore = (at: AnyColumn, id: AnyColumn, place: Place | null): SQL | undefined =>
  place ? sql`(${at}, ${id}) < (${place.at.toISOString()}::timestamptz, ${place.id}::uuid)` : undefined
