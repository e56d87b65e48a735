import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { passwords, users } from '../../db/schema'
import { AppError, type FieldErrors } from '../../errors'
import { hashPassword } from '../password/hash'
import { passwordProblem } from '../password/rules'
import { type Role, roles } from '../policy'
import { normalizeEmail } from './email'
import { normalizeName } from './name'

/**
 * Deletes a user whose email was never verified (an imported one, for example), so that the user who verifies it can
 * have it. Deleting the row also deletes its password and sessions, which may belong to a third party.
 */
export async function deleteUnverifiedUser(tx: Transaction, email: string): Promise<void> {
  await tx.delete(users).where(and(eq(sql`lower(${users.email})`, email), isNull(users.emailVerifiedAt)))
}

interface NewUser {
  email: string
  name: string
  role: Role
  password: string
}

/** Creates a user with a verified email. The caller, such as the command line, vouches for the email. */
export async function createUser({ email: emailAsTyped, name: nameAsTyped, role, password }: NewUser): Promise<string> {
  const email = normalizeEmail(emailAsTyped)
  const name = normalizeName(nameAsTyped)
  const fields: FieldErrors = {}
  if (!email) fields.email = ['Enter a valid email, like ada@example.com']
  if (!name) fields.name = ['Enter a name (up to 100 characters)']
  if (!roles.includes(role)) fields.role = [`Choose one of ${roles.join(', ')}`]
  const problem = await passwordProblem(password, email ?? '')
  if (problem) fields.password = [problem]
  if (!email || !name || Object.keys(fields).length > 0) throw new AppError('invalid_input', undefined, { fields })

  const hash = await hashPassword(password)
  return inTransaction(async (tx) => {
    await deleteUnverifiedUser(tx, email)
    const [user] = await tx
      .insert(users)
      .values({ email, name, role, emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ id: users.id })
    if (!user) throw new AppError('conflict', 'That email is already in use', { fields: { email: ['Already in use'] } })
    await tx.insert(passwords).values({ userId: user.id, hash })
    await recordAuditEvent(tx, 'person.joined', { targetId: user.id, details: { way: 'command', role } })
    return user.id
  })
}
