import 'server-only'
import type { Route } from 'next'
import { cookies, headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { modules } from '@/modules'
import { AppError } from '../errors'
import type { Bearer } from '../module'
import { currentRequest } from '../request'
import { type Allow, isAllowed, type Role } from './policy'
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
  const sent = (head.get('cookie') ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
  if (currentRequest() || sent.length > 1) return { from: 'cookie', tokens: sent }
  // A page that is shown in answer to an action: the action may have given the browser another token, or taken it away.
  const token = (await cookies()).get(sessionCookieName())?.value
  return { from: 'cookie', tokens: token ? [token] : [] }
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
  return request.session
}

/**
 * Who is calling a route handler: a session, or a program with a token that a module has given out. Pages and actions know
 * sessions only.
 */
export async function getCaller(): Promise<Bearer | null> {
  const session = await getSession()
  if (session) return session
  const { from, tokens } = await readTokens()
  if (from !== 'header' || !tokens[0]) return null
  for (const module of modules) {
    const found = await module.bearer?.(tokens[0])
    if (found) return found
  }
  return null
}

export async function getActor(): Promise<Actor | null> {
  return (await getSession())?.user ?? null
}

const notTheirs = () => new AppError('forbidden', 'Only the person themselves can do this')

/** Refuses an admin who acts for somebody else: this is about what only that person has a right to. */
export async function refuseActing(): Promise<void> {
  if ((await getSession())?.actingAdmin) throw notTheirs()
}

/** Refuses a caller who has not shown lately that it is them: for steps that cannot be undone, or that open doors. */
export async function requireConfirmed(): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  if (session.actingAdmin) throw notTheirs()
  if (!session.isConfirmed) throw new AppError('reauth_required')
}

/**
 * For a page: whoever may see it. Strangers are sent to sign in, and come back to `path`; to others there is nothing here.
 * @public For the pages of modules.
 */
export async function requirePermission(allow: Allow, path: string): Promise<Actor> {
  const actor = await getActor()
  if (!actor) redirect(`/signin?callbackUrl=${encodeURIComponent(path)}` as Route)
  if (!isAllowed(actor.role, allow)) notFound()
  return actor
}

export async function requireActor(): Promise<Actor> {
  const actor = await getActor()
  if (!actor) throw new AppError('unauthenticated')
  return actor
}
