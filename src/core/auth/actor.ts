import 'server-only'
import { cookies, headers } from 'next/headers'
import { cache } from 'react'
import { AppError } from '../errors'
import type { Role } from './policy'
import { findSession, type Session } from './sessions'
import { sessionCookieName } from './settings'

/** Whoever is calling, as far as any part of the app needs to know. */
export interface Actor {
  id: string
  email: string
  name: string
  role: Role
}

/**
 * `Authorization` alone decides when it is there: a caller who sends a token means that token, and must not
 * act as whoever the cookie names.
 */
async function readToken(): Promise<string | undefined> {
  const authorization = (await headers()).get('authorization')
  if (authorization !== null) return /^Bearer ([\w-]+)$/i.exec(authorization)?.[1]
  const sent = (await cookies()).getAll(sessionCookieName())
  // Two cookies of that name: somebody planted one. Nobody can tell which, so neither counts.
  return sent.length === 1 ? sent[0]?.value : undefined
}

/** The session of this request: read once, however many places ask. */
export const getSession = cache(async (): Promise<Session | null> => {
  const token = await readToken()
  return token ? findSession(token) : null
})

export async function getActor(): Promise<Actor | null> {
  return (await getSession())?.user ?? null
}

export async function requireActor(): Promise<Actor> {
  const actor = await getActor()
  if (!actor) throw new AppError('unauthenticated')
  return actor
}
