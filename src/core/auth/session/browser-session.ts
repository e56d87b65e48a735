import 'server-only'
import { headers } from 'next/headers'
import { AppError } from '../../errors'
import { type ClientInfo, getClientInfo } from '../../http/client-ip'
import { readTokens } from './actor'
import { clearCookie, clearCsrfToken, setCookie, setSignedInHint } from './cookies'
import { rememberSignInMethod } from './last-method'
import { endSession, findSession, type Session } from './sessions'
import { type Credential, createPasswordSession, createSessionWithMethod } from './start-session'
import { rememberTrustedDevice, type TrustedSince } from './trusted-device'

/**
 * Starts a session in this browser after a correct password, and trusts the browser. `passwordHash` is the stored hash that the
 * password was checked against.
 */
export async function startPasswordSession(
  userId: string,
  passwordHash: string,
  given: { trustedSince: TrustedSince; client: ClientInfo },
): Promise<Session> {
  const session = await replaceSession(await createPasswordSession(userId, passwordHash, given.client))
  await rememberTrustedDevice(userId, given.trustedSince)
  return session
}

/**
 * Starts a session in this browser for a user who signed in without a password; `method` is the sign-in method, `credential`
 * what was checked. `reauthenticatedAt` is by default now: pass an earlier time if the method does not count as reauthentication.
 * @public For modules that add a sign-in method.
 */
export async function startSessionWithMethod(
  userId: string,
  method: string,
  given: { credential: Credential; reauthenticatedAt?: Date | undefined },
): Promise<Session> {
  const client = getClientInfo(await headers())
  const session = await replaceSession(await createSessionWithMethod({ ...given, userId, method, client }))
  await rememberSignInMethod(method)
  return session
}

/**
 * Ends the browser's previous session only after the new one was created, so that a failed sign-in does not sign out.
 */
async function replaceSession(created: Awaited<ReturnType<typeof createPasswordSession>>): Promise<Session> {
  if (!created) throw new AppError('invalid_credentials')
  await signOut()
  return setSessionCookies(created.token, created.session)
}

/** Sets the cookies for a session that was just created. Throws if it was ended meanwhile. */
export async function activateSession(token: string): Promise<Session> {
  const session = await findSession(token)
  if (!session) throw new AppError('unauthenticated')
  return setSessionCookies(token, session)
}

async function setSessionCookies(token: string, session: Session): Promise<Session> {
  await setCookie('session', token)
  await setSignedInHint(session.user.role, { isImpersonating: session.impersonatedBy !== null })
  return session
}

/**
 * Ends every session whose token the request sent, in a cookie or as Bearer. Does not change cookies. Returns whether
 * the request had a Bearer token.
 */
export async function endRequestSessions(): Promise<{ isBearer: boolean }> {
  const { bearer, cookieTokens } = await readTokens()
  const client = getClientInfo(await headers())
  for (const token of [...(bearer ? [bearer] : []), ...cookieTokens]) await endSession(token, client)
  return { isBearer: bearer !== undefined }
}

/** Ends the sessions of the request and clears the cookies. For a Bearer token, no cookie is set or cleared. */
export async function signOut(): Promise<void> {
  if ((await endRequestSessions()).isBearer) return
  await clearCookie('session')
  await setSignedInHint(null)
  await clearCsrfToken()
}
