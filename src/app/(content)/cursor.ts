import { type AnyColumn, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'

/** Keyset pagination cursor: the last row of the previous page. */
export interface Cursor {
  at: Date
  id: string
}

const EncodedCursor = z.tuple([z.iso.datetime(), z.uuid()])

const encodeCursor = ({ at, id }: Cursor) => `${at.toISOString()}_${id}`

/** Returns null for an invalid cursor: the list then starts at the first page. */
export function decodeCursor(text: string): Cursor | null {
  const { data } = EncodedCursor.safeParse(text.split('_'))
  if (!data) return null
  const at = new Date(data[0])
  // PostgreSQL rejects the year 0.
  return at.getUTCFullYear() > 0 ? { at, id: data[1] } : null
}

/** Condition for the rows after the cursor in a newest-first list; undefined without a cursor. */
export const afterCursor = (at: AnyColumn, id: AnyColumn, cursor: Cursor | null): SQL | undefined =>
  cursor ? sql`(${at}, ${id}) < (${cursor.at.toISOString()}::timestamptz, ${cursor.id}::uuid)` : undefined

/** The page of a query with `pageSize + 1` rows, and the cursor of the next page. */
export function toPage<Row>(rows: Row[], pageSize: number, cursorOf: (row: Row) => Cursor) {
  const page = rows.slice(0, pageSize)
  const last = page.at(-1)
  return { posts: page, next: rows.length > pageSize && last ? encodeCursor(cursorOf(last)) : null }
}
