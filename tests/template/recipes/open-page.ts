import { asRequest } from '../../app/support/next-headers.ts'

// The import above must come first: it mocks next/headers before any other module loads it.

import { dirname, join } from 'node:path'
import { eq } from 'drizzle-orm'
import { AppRouterContext, type AppRouterInstance } from 'next/dist/shared/lib/app-router-context.shared-runtime.js'
import { PathnameContext, SearchParamsContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime.js'
import { cookies } from 'next/headers'
import { createElement, type ReactNode } from 'react'
import { prerender } from 'react-dom/static'
import type { Role } from '@/core/auth/roles'
import { sessionCookieName } from '@/core/auth/session/settings'
import { hashToken } from '@/core/auth/tokens/token'
import { db } from '@/core/db/client'
import { sessions } from '@/core/db/schema'
import { root } from '../../../scripts/root.ts'
import { newSessionToken } from '../../app/support/new-session-token.ts'

/** A file of src/app, by its path: a probe is about the whole app, as Next is. */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows what it imports
export const load = (file: string): Promise<any> => import(join(root, 'src', 'app', file))

const nothing = () => {}
const router = {
  back: nothing,
  forward: nothing,
  refresh: nothing,
  push: nothing,
  replace: nothing,
  prefetch: nothing,
} as unknown as AppRouterInstance

/** What the hooks of next/navigation read while Next renders a page. */
const inRouter = (path: string, page: ReactNode) =>
  createElement(
    AppRouterContext.Provider,
    { value: router },
    createElement(
      PathnameContext.Provider,
      { value: path },
      createElement(SearchParamsContext.Provider, { value: new URLSearchParams() }, page),
    ),
  )

/** The HTML of a page, for the user with this session. */
export function openPage(file: string, token = '', params: Record<string, string> = {}): Promise<string> {
  return asRequest({}, async () => {
    const jar = await cookies()
    jar.set(sessionCookieName(), token)
    const { default: Page } = await load(file)
    const props = { params: Promise.resolve(params), searchParams: Promise.resolve({}) }
    const path = `/${dirname(file).replaceAll(/\([^)]*\)\/?/g, '')}`
    const { prelude } = await prerender(inRouter(path, createElement(Page, props)))
    // React separates texts by comments.
    return (await new Response(prelude).text()).replaceAll('<!-- -->', '')
  })
}

/** The response of a route handler, for the user with this session. */
export async function callRoute(file: string, path: string, token = ''): Promise<Response> {
  const { GET } = await load(file)
  const headers = { cookie: `${sessionCookieName()}=${token}` }
  return GET(new Request(`http://localhost:3000${path}`, { headers }), { params: Promise.resolve({}) })
}

/** A new user with that role, and their session. */
export async function newSession(role: Role): Promise<{ id: string; token: string }> {
  const token = await newSessionToken(role)
  const [session] = await db
    .select({ id: sessions.userId })
    .from(sessions)
    .where(eq(sessions.tokenHash, hashToken(token)))
  return { id: session?.id ?? '', token }
}
