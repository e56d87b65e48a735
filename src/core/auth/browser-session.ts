import 'server-only'
import { headers } from 'next/headers'
import { type Origin, originOf } from '../address'
import { AppError } from '../errors'
import { readTokens } from './actor'
import { clearFromBrowser, hintSignedIn, keepInBrowser, renewFormToken } from './browser'
import { createSession, createSessionFor, endSession, findSession, type Session } from './sessions'

/** Starts a session in this browser for somebody whose password, as stored, has just been shown to be theirs. */
export async function startSession(userId: string, passwordHash: string, from: Origin): Promise<Session> {
  return replaceSession(await createSession(userId, passwordHash, from))
}

/**
 * The same for somebody who has shown it without a password.
 * @public For modules that bring a way to sign in.
 */
export async function startSessionFor(userId: string, way: string): Promise<Session> {
  return replaceSession(await createSessionFor(userId, way, originOf(await headers())))
}

/** The one that this browser had ends, but only now: when a new one cannot be made, nobody is signed out by trying. */
async function replaceSession(token: string | null): Promise<Session> {
  if (token) await signOut()
  return enterSession(token)
}

/** Gives this browser a session that has just been made for it. */
export async function enterSession(token: string | null): Promise<Session> {
  const session = token && (await findSession(token))
  if (!session) throw new AppError('invalid_credentials')
  await keepInBrowser('session', token)
  await hintSignedIn(session.user.role, { isActing: session.actingAdmin !== null })
  return session
}

/** Ends the session that the caller sent, if any. A browser's cookies go with it; a caller with a token has none. */
export async function signOut(): Promise<void> {
  const { from, tokens } = await readTokens()
  const origin = originOf(await headers())
  for (const token of tokens) await endSession(token, origin)
  if (from === 'header') return
  await clearFromBrowser('session')
  await hintSignedIn(null)
  await renewFormToken()
}
