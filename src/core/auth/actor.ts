import 'server-only'
import { headers } from 'next/headers'
import { cache } from 'react'
import { AppError } from '../errors'
import { currentRequest } from '../request'
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
 * The session tokens that the caller sent, and how. `Authorization` alone decides when it is there: a caller who sends a
 * token means that token, and must not act as whoever the cookie names.
 */
export async function readTokens(): Promise<{ from: 'header' | 'cookie'; tokens: string[] }> {
  // What the handler was given, where there is one: Next would make another copy.
  const head = currentRequest()?.headers ?? (await headers())
  const authorization = head.get('authorization')
  if (authorization !== null) {
    const token = /^Bearer ([\w-]+)$/i.exec(authorization)?.[1]
    return { from: 'header', tokens: token ? [token] : [] }
  }
  // Not Next's cookies(): of two cookies of one name it shows only the last.
  const prefix = `${sessionCookieName()}=`
  const sent = (head.get('cookie') ?? '').split(';').map((pair) => pair.trim())
  return {
    from: 'cookie',
    tokens: sent.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length)),
  }
}

async function loadSession(): Promise<Session | null> {
  const { tokens } = await readTokens()
  // Two cookies of that name: somebody planted one. Nobody can tell which, so neither counts.
  return tokens.length === 1 && tokens[0] ? findSession(tokens[0]) : null
}

const loadSessionForPage = cache(loadSession)

/** The session of this request: one query, however many places ask. */
export function getSession(): Promise<Session | null> {
  const request = currentRequest()
  if (!request) return loadSessionForPage()
  request.session ??= loadSession()
  return request.session as Promise<Session | null>
}

export async function getActor(): Promise<Actor | null> {
  return (await getSession())?.user ?? null
}

export async function requireActor(): Promise<Actor> {
  const actor = await getActor()
  if (!actor) throw new AppError('unauthenticated')
  return actor
}
