import { customType, timestamp } from 'drizzle-orm/pg-core'

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/** To the millisecond, as JavaScript and the contract know it. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 })
