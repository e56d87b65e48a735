import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { record } from '../audit/record'
import { db, type Transaction } from '../db/client'
import { passwords, users } from '../db/schema'
import { env } from '../env'
import { AppError, type FieldErrors } from '../errors'
import { isCommonPassword } from './common-passwords'
import { isOnlyContext } from './context-words'
import { normalizeEmail } from './email'
import { hashPassword, isPossiblePassword, mostTyped } from './password'
import { type Role, roles } from './policy'

const longest = 128

/** What to say beside a field for a new password. */
export const passwordHint = () =>
  `At least ${env.PASSWORD_MIN_LENGTH} characters. A few words in a row are easy to remember and hard to guess.`

/** What is wrong with a new password, in words; undefined when nothing is. Length is what counts; no rules about signs. */
export async function passwordProblem(password: string, email: string): Promise<string | undefined> {
  if (password.length > mostTyped) return `Use at most ${longest} characters`
  const letters = [...password.normalize('NFC')].length
  if (letters < env.PASSWORD_MIN_LENGTH) return `Use at least ${env.PASSWORD_MIN_LENGTH} characters`
  if (letters > longest) return `Use at most ${longest} characters`
  if (!isPossiblePassword(password)) return 'This holds characters that cannot be used'
  if (new Set(password.trim()).size < 4) return 'This is too easy to guess'
  if (await isCommonPassword(password)) return 'This is one of the passwords that everybody tries first'
  const typed = password.toLowerCase()
  const address = email.toLowerCase()
  const name = address.split('@')[0] ?? ''
  // A name of a few letters is in many words; the whole address is in none.
  if (address && typed.includes(name.length >= 4 ? name : address)) return 'Leave your e-mail address out of it'
  if (isOnlyContext(password, email)) return 'Use more than the name of this app, its address, a role or where you work'
}

/** 1 to 100 characters once trimmed, something to see among them, and nothing that would break a line or turn it round. */
export function normalizeName(text: string): string | null {
  if (text.length > mostTyped) return null
  const name = text.normalize('NFC').trim()
  const isSound =
    [...name].length <= 100 &&
    name.isWellFormed() &&
    !/\p{Cc}|\p{Bidi_Control}|[\p{Zl}\p{Zp}]/u.test(name) &&
    /[^\p{Default_Ignorable_Code_Point}\p{White_Space}]/u.test(name)
  return isSound ? name : null
}

/** The same for a field called `name`: what cannot be one is refused there. */
export function requireName(text: string): string {
  const name = normalizeName(text)
  if (!name)
    throw new AppError('invalid_input', undefined, { fields: { name: ['Enter a name of 1 to 100 characters'] } })
  return name
}

/**
 * Takes away a person whose address nobody ever proved (an import, say), so that whoever does prove it can have it. A
 * password or session that came with the old row goes, too.
 */
export async function removeUnproved(tx: Transaction, email: string): Promise<void> {
  await tx.delete(users).where(and(eq(sql`lower(${users.email})`, email), isNull(users.emailVerifiedAt)))
}

interface NewPerson {
  email: string
  name: string
  role: Role
  password: string
}

/** Adds somebody whose address is known to be theirs, because whoever adds them says so. */
export async function createPerson({
  email: emailAsTyped,
  name: nameAsTyped,
  role,
  password,
}: NewPerson): Promise<string> {
  const email = normalizeEmail(emailAsTyped)
  const name = normalizeName(nameAsTyped)
  const fields: FieldErrors = {}
  if (!email) fields.email = ['Enter an e-mail address, like ada@example.com']
  if (!name) fields.name = ['Enter a name of 1 to 100 characters']
  if (!roles.includes(role)) fields.role = [`Choose one of ${roles.join(', ')}`]
  const problem = await passwordProblem(password, email ?? '')
  if (problem) fields.password = [problem]
  if (!email || !name || Object.keys(fields).length > 0) throw new AppError('invalid_input', undefined, { fields })

  const hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    await removeUnproved(tx, email)
    const [person] = await tx
      .insert(users)
      .values({ email, name, role, emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ id: users.id })
    if (!person)
      throw new AppError('conflict', 'Somebody has that address already', { fields: { email: ['Already in use'] } })
    await tx.insert(passwords).values({ userId: person.id, hash })
    await record(tx, 'person.joined', { targetId: person.id, details: { way: 'command', role } })
    return person.id
  })
}
