import 'server-only'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { users } from '../../db/schema'

/** Condition for the user who has verified this normalized email. An unverified one may have been typed by anyone. */
export const hasVerifiedEmail = (email: string) =>
  and(eq(sql`lower(${users.email})`, email), isNotNull(users.emailVerifiedAt))
