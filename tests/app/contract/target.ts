import { it } from 'node:test'
import { appSlug } from '../../../src/brand.ts'
import type { newUser } from '../support/new-user.ts'
import { randomIp } from '../support/random-ip.ts'
import type { RunningServer } from '../support/server.ts'
import { type Client, newClient, type TestResponse } from './client.ts'

/** A base URL of the app under test. */
export interface Site {
  /** For the test titles. */
  name: string
  /** Where requests go. */
  url: string
  /** The origin that the app is configured with. */
  origin: string
  isSecure: boolean
  sessionCookie: string
  /** The name of the session cookie over the other protocol. */
  otherProtocolCookie: string
}

interface Credentials {
  email: string
  password: string
}

/** Access to an app that was started for this run. */
export interface OwnApp {
  password: string
  newUser: typeof newUser
  query: (text: string, values: unknown[]) => Promise<unknown>
  /** Starts another app process with additional settings. */
  startNode: (env: Record<string, string>) => Promise<RunningServer>
  hasModule: (name: string) => boolean
}

export interface Target {
  sites: [Site, ...Site[]]
  /** A user who can sign in. */
  user: Credentials | undefined
  ownApp: OwnApp | undefined
}

export function describeSite(url: string, origin = new URL(url).origin): Site {
  const isSecure = origin.startsWith('https:')
  const names = [`${appSlug}.session`, `__Host-${appSlug}.session`] as const
  return {
    name: isSecure ? 'over https' : 'over http',
    url,
    origin,
    isSecure,
    sessionCookie: names[isSecure ? 1 : 0],
    otherProtocolCookie: names[isSecure ? 0 : 1],
  }
}

/** Our own app trusts X-Forwarded-For: each client gets its own IP, so that tests do not hit each other's rate limits. */
export function newCaller({ ownApp }: Target, site: Site): Client {
  return newClient(site.url, ownApp && { 'x-forwarded-for': randomIp() })
}

/** Test functions that skip with a reason what cannot run against this target. */
export function testsFor({ user, ownApp }: Target) {
  return {
    /** Needs a user who can sign in. */
    withUser: (name: string, run: (user: Credentials) => Promise<void>) =>
      user ? it(name, () => run(user)) : it(name, { skip: 'needs --email and --password' }, () => {}),
    /** Needs access to the app's database or settings, or would disturb other users. */
    withOwnApp: (name: string, run: (ownApp: OwnApp) => Promise<void>) =>
      ownApp ? it(name, () => run(ownApp)) : it(name, { skip: 'needs an app started by this run' }, () => {}),
  }
}

interface SignedIn {
  caller: Client
  token: string
  response: TestResponse
}

export async function signIn(target: Target, site: Site, { email, password }: Credentials): Promise<SignedIn> {
  const caller = newCaller(target, site)
  const response = await caller.post('/api/auth/signin', { email, password, redirect: false })
  const token = caller.cookies.get(site.sessionCookie)
  if (response.status !== 200 || !token)
    throw new Error(`${email} could not sign in: ${response.status} ${response.text}`)
  return { caller, token, response }
}

/** Signs in, runs `work`, and signs out. */
export async function whileSignedIn(
  target: Target,
  site: Site,
  user: Credentials,
  work: (signedIn: SignedIn) => Promise<void>,
): Promise<void> {
  const signedIn = await signIn(target, site, user)
  try {
    await work(signedIn)
  } finally {
    await newCaller(target, site).post('/api/auth/signout', undefined, { authorization: `Bearer ${signedIn.token}` })
  }
}

/** The user of a session token, or null. */
export async function userOf(target: Target, site: Site, token: string): Promise<{ email: string } | null> {
  const response = await newCaller(target, site).get('/api/auth/session', { authorization: `Bearer ${token}` })
  return response.json()?.user ?? null
}
