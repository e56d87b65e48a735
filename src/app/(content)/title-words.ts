import { and, type SQLWrapper, sql } from 'drizzle-orm'

/** Titles have no index: only those of the newest posts are compared, so the cost does not grow with the number of posts. */
export const maxCompared = 1_000

/** Whether a title contains each word, or a part of it. */
export const hasWords = (title: SQLWrapper, text: string) =>
  and(...text.split(/\s+/, 10).map((word) => sql`strpos(lower(${title}), lower(${word})) > 0`))
