import 'server-only'
import { desc, eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { db } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { passwords, signups, tokens } from '../../db/schema'
import { env } from '../../env'
import { AppError, type FieldErrors } from '../../errors'
import { clientIp, getClientInfo, ipGroup } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { defineLimit } from '../../limits/limit'
import type { SecondFactor } from '../../module'
import { signUpEmail } from '../emails'
import { rejectBreachedPassword } from '../password/breached-passwords'
import { hashPassword, isPossiblePassword, verifyPassword } from '../password/hash'
import { passwordProblem } from '../password/rules'
import { startPasswordSession } from '../session/browser-session'
import { clearCookie, isSigned, readCookie, setCookie, sign } from '../session/cookies'
import { ownsPassword } from '../session/start-session'
import { isValidToken, signUpLink } from '../tokens/email-link'
import { normalizeEmail } from '../user/email'
import { normalizeName } from '../user/name'
import { signUpUser } from '../user/sign-up'
import { saveUserFields } from '../user-fields'
import { startPendingSignIn } from './second-factor'

// Every sign-up sends an email to an unverified recipient. A completed sign-up counts half: a whole office may sign up
// behind one IP, but the owner of a domain with many mailboxes cannot create unlimited accounts.
const ipLimit = defineLimit('signup_ip', { points: 60, seconds: 60 * 60, successes: 120 })
// By email and IP: with the email alone, a third party could block its owner from signing up. The number of emails to
// one inbox is limited in core/mail.
const emailAndIpLimit = defineLimit('signup_pair', { points: 3, seconds: 60 * 60 })
const verificationLimit = defineLimit('signup_confirm', { points: 5, seconds: 15 * 60 })

const day = 24 * 60 * 60

interface SignUp {
  email: string
  name: string
  password: string
  /** Values of `userFields` of modules. */
  fields?: Record<string, string>
}

/**
 * Requests a sign-up and sends an email. Only the content of the email depends on whether the user exists already: the
 * response and the work done for it are the same, so that they do not reveal it.
 */
export async function requestSignUp(input: SignUp): Promise<void> {
  requireOpenSignUp()
  const email = normalizeEmail(input.email)
  const name = normalizeName(input.name || (email?.split('@')[0] ?? ''))
  const fields: FieldErrors = {}
  if (!email) fields.email = ['Enter a valid email, like ada@example.com']
  if (!name) fields.name = ['Use up to 100 characters']
  const problem = await passwordProblem(input.password, email ?? '')
  if (problem) fields.password = [problem]
  if (!email || !name || problem) throw new AppError('invalid_input', undefined, { fields })

  const head = await headers()
  const ip = ipGroup(clientIp(head))
  await ipLimit.consume(ip)
  await rejectBreachedPassword(input.password, 'password')
  await emailAndIpLimit.consume(`${email} ${ip}`)
  const passwordHash = await hashPassword(input.password)
  const signupId = crypto.randomUUID()
  await inTransaction((tx) =>
    Promise.all([
      tx.insert(signups).values({ id: signupId, email, name, passwordHash, fields: input.fields ?? null }),
      enqueue(tx, signUpEmail, { signupId }),
    ]),
  )
  await setCookie('signup', sign('signup', signupId), day)
}

function requireOpenSignUp(): void {
  if (env.AUTH_SIGNUP === 'open') return
  const message = env.AUTH_SIGNUP === 'invite' ? 'Sign-up is by invitation only.' : 'Sign-up is closed.'
  throw new AppError('forbidden', message)
}

/** Third parties may sign up with the same email; the sign-up of this browser is hardly older than this many of theirs. */
const maxSignUpsPerEmail = 100

/**
 * Sends the email of a sign-up again, if this browser has signed up with that email. Returns whether it was within the limit,
 * which is that of signing up. The response depends only on the cookie, not on whether the email has an account.
 */
export async function resendSignUp(emailAsTyped: string): Promise<boolean> {
  requireOpenSignUp()
  const email = normalizeEmail(emailAsTyped)
  const ip = ipGroup(clientIp(await headers()))
  await ipLimit.consume(ip)
  const candidates = await db
    .select({ id: signups.id })
    .from(signups)
    .where(eq(signups.email, email ?? ''))
    .orderBy(desc(signups.createdAt))
    .limit(maxSignUpsPerEmail)
  const cookie = await readCookie('signup')
  const signup = candidates.find(({ id }) => isSigned('signup', id, cookie))
  if (!signup) throw new AppError('not_found', 'Your sign-up has expired. Sign up again.')
  if (!(await emailAndIpLimit.tryConsume(`${email} ${ip}`))) return false
  await enqueue(db, signUpEmail, { signupId: signup.id })
  return true
}

async function findSignUp(token: string) {
  const [signup] = await db
    .select({
      id: signups.id,
      email: signups.email,
      name: signups.name,
      passwordHash: signups.passwordHash,
      fields: signups.fields,
    })
    .from(tokens)
    .innerJoin(signups, eq(signups.id, tokens.signupId))
    .where(isValidToken(signUpLink.name, token))
  return signup
}

/** Data for the page of the email link. Does not use the link up, because email clients open links by themselves. */
export async function peekSignUp(token: string): Promise<{ email: string; isSameBrowser: boolean } | null> {
  const signup = await findSignUp(token)
  return signup ? { email: signup.email, isSameBrowser: await isSameBrowser(signup.id) } : null
}

const isSameBrowser = async (signupId: string) => isSigned('signup', signupId, await readCookie('signup'))

/**
 * Verifies the email of a sign-up, creates the user and signs them in, or returns the second factor that is required
 * first. In a browser other than the one that signed up it asks for the password: an attacker may have signed up with
 * the email of another user, who must not activate an account whose password the attacker knows.
 */
export async function verifySignUp(token: string, password: string): Promise<SecondFactor | null> {
  const signup = await findSignUp(token)
  if (!signup) throw new AppError('not_found', 'This link has expired or was already used. Sign up again.')
  if (!(await isSameBrowser(signup.id))) {
    await verificationLimit.consume(signup.id)
    const isCorrect = isPossiblePassword(password) && (await verifyPassword(signup.passwordHash, password)).isCorrect
    if (!isCorrect) {
      const fields = { password: ['That’s not the password you signed up with'] }
      throw new AppError('invalid_input', undefined, { fields })
    }
  }
  const head = await headers()
  const client = getClientInfo(head)
  const { userId, changedAt } = await inTransaction(async (tx) => {
    const taken = await tx.delete(signups).where(eq(signups.email, signup.email)).returning({ id: signups.id })
    if (!taken.some(({ id }) => id === signup.id)) throw new AppError('conflict', 'This link was already used.')
    const user = await signUpUser(tx, { email: signup.email, name: signup.name, method: 'password', client })
    if (!user) throw new AppError('conflict', 'You already have an account. Sign in.')
    const [[password]] = await Promise.all([
      tx
        .insert(passwords)
        .values({ userId: user.id, hash: signup.passwordHash })
        .returning({ changedAt: passwords.changedAt }),
      saveUserFields(tx, user.id, 'signup', signup.fields ?? {}),
    ])
    return { userId: user.id, changedAt: password?.changedAt }
  })
  await clearCookie('signup')
  const credential = ownsPassword(userId, signup.passwordHash)
  const [secondFactor] = await Promise.all([
    startPendingSignIn(userId, { credential }),
    ipLimit.forgive(ipGroup(clientIp(head))),
  ])
  if (secondFactor) return secondFactor
  await startPasswordSession(userId, signup.passwordHash, { trustedSince: changedAt, client })
  return null
}
