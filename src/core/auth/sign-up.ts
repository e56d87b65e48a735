import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { addressGroup, clientAddress, originOf } from '../address'
import { db } from '../db/client'
import { passwords, signups, tokens } from '../db/schema'
import { env } from '../env'
import { AppError, type FieldErrors } from '../errors'
import { enqueue } from '../jobs/queue'
import { defineLimit } from '../limits/limit'
import type { Challenge } from '../module'
import { clearFromBrowser, isSigned, keepInBrowser, readFromBrowser, sign } from './browser'
import { startSession } from './browser-session'
import { startChallenge } from './challenge'
import { rememberDevice } from './device'
import { normalizeEmail } from './email'
import { join } from './joining'
import { isLive, signUpLink } from './link'
import { signUpMail } from './mails'
import { hashPassword, isPossiblePassword, verifyPassword } from './password'
import { normalizeName, passwordProblem } from './people'

const ofAddress = defineLimit('signup_address', { points: 20, seconds: 60 * 60 })
const ofEmail = defineLimit('signup_email', { points: 3, seconds: 60 * 60 })
const ofConfirming = defineLimit('signup_confirm', { points: 5, seconds: 15 * 60 })

const day = 24 * 60 * 60

/**
 * Somebody wants to join. Whoever has the address gets a mail; what it says depends on whether they are here already, and
 * so does nothing else: the answer, and the work done for it, are the same.
 */
export async function requestSignUp(given: { email: string; name: string; password: string }): Promise<void> {
  if (env.AUTH_SIGNUP !== 'open') throw new AppError('forbidden', 'New people cannot join by themselves here')
  const email = normalizeEmail(given.email)
  const name = normalizeName(given.name || (email?.split('@')[0] ?? ''))
  const fields: FieldErrors = {}
  if (!email) fields.email = ['Enter an e-mail address, like ada@example.com']
  if (!name) fields.name = ['Use at most 100 characters, on one line']
  const problem = await passwordProblem(given.password, email ?? '')
  if (problem) fields.password = [problem]
  if (!email || !name || problem) throw new AppError('invalid_input', undefined, { fields })

  const head = await headers()
  await ofAddress.consume(addressGroup(clientAddress(head)))
  await ofEmail.consume(email)
  const passwordHash = await hashPassword(given.password)
  const signupId = await db.transaction(async (tx) => {
    const [signup] = await tx.insert(signups).values({ email, name, passwordHash }).returning({ id: signups.id })
    if (!signup) throw new AppError('internal')
    await enqueue(tx, signUpMail, { signupId: signup.id })
    return signup.id
  })
  await keepInBrowser('signup', sign('signup', signupId), day)
}

async function findSignUp(token: string) {
  const [signup] = await db
    .select({ id: signups.id, email: signups.email, name: signups.name, passwordHash: signups.passwordHash })
    .from(tokens)
    .innerJoin(signups, eq(signups.id, tokens.signupId))
    .where(isLive(signUpLink.name, token))
  return signup
}

/** What the page behind the link shows. Looking changes nothing: mail programs open links by themselves. */
export async function lookAtSignUp(token: string): Promise<{ email: string; isThisBrowser: boolean } | null> {
  const signup = await findSignUp(token)
  return signup ? { email: signup.email, isThisBrowser: await isThisBrowser(signup.id) } : null
}

const isThisBrowser = async (signupId: string) => isSigned('signup', signupId, await readFromBrowser('signup'))

/**
 * Makes a person of a sign-up whose mail has arrived, and signs them in, or says what that takes besides. In another
 * browser than the one that signed up, the password is asked for: somebody may have signed up with an address that is not
 * theirs, and its owner, who presses the button in good faith, must not open an account that the other knows the password of.
 */
export async function confirmSignUp(token: string, password: string): Promise<Challenge | null> {
  const signup = await findSignUp(token)
  if (!signup) throw new AppError('not_found', 'This link was used already, or is too old. Sign up once more')
  if (!(await isThisBrowser(signup.id))) {
    await ofConfirming.consume(signup.id)
    const isRight = isPossiblePassword(password) && (await verifyPassword(signup.passwordHash, password)).isRight
    if (!isRight) {
      const fields = { password: ['This is not the password that was chosen when signing up'] }
      throw new AppError('invalid_input', undefined, { fields })
    }
  }
  const from = originOf(await headers())
  const userId = await db.transaction(async (tx) => {
    const taken = await tx.delete(signups).where(eq(signups.email, signup.email)).returning({ id: signups.id })
    if (!taken.some(({ id }) => id === signup.id)) throw new AppError('conflict', 'This link was used already')
    const person = await join(tx, { email: signup.email, name: signup.name, way: 'password', from })
    if (!person) throw new AppError('conflict', 'You already have an account. Sign in')
    await tx.insert(passwords).values({ userId: person.id, hash: signup.passwordHash })
    return person.id
  })
  await clearFromBrowser('signup')
  const challenge = await startChallenge(userId)
  if (challenge) return challenge
  await startSession(userId, signup.passwordHash, from)
  await rememberDevice(userId)
  return null
}
