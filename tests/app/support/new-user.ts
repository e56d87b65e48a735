import type { Role } from '../../../src/core/auth/roles.ts'
import { query } from './query.ts'

export interface UserOptions {
  isVerified?: boolean
  isSuspended?: boolean
  hasPassword?: boolean
  role?: Role
  name?: string
  email?: string
}

/** Creates a user for one test, with the password of the seeded users, and returns the email. */
export async function newUser(
  {
    isVerified = true,
    isSuspended = false,
    hasPassword = true,
    role = 'viewer',
    name = 'Test User',
    email = `user-${crypto.randomUUID()}@example.com`,
  }: UserOptions = {},
  databaseUrl = process.env.DATABASE_URL,
): Promise<string> {
  await query(
    `with created as (
       insert into users (email, name, role, email_verified_at, suspended_at)
       values ($1, $5, $4, case when $2 then now() end, case when $3 then now() end) returning id
     )
     insert into passwords (user_id, hash)
     select created.id, hash from created, passwords join users on users.id = user_id
     where $6 and email = 'viewer@example.com'`,
    [email, isVerified, isSuspended, role, name, hasPassword],
    databaseUrl,
  )
  return email
}
