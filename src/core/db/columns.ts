import { customType, timestamp } from 'drizzle-orm/pg-core'

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** Timestamp with millisecond precision, the same as a JavaScript Date and the API. */
export const timestamptz = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })
