import 'server-only'
import { sql } from 'drizzle-orm'
import { users } from '../../db/schema'

/** Condition for the user who has verified this normalized email. An unverified one may have been typed by anyone. */
export const hasVerifiedEmail = (email: string) =>
  sql`lower(${users.email}) = ${email} and ${users.emailVerifiedAt} is not null`
