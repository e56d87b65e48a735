import { it } from 'node:test'
import type { newPerson } from '../support/person.ts'
import type { RunningServer } from '../support/server.ts'
import { type Answer, type Client, newClient } from './client.ts'

/** An address that the app is reached by. */
export interface Site {
  /** For the names of the rows. */
  name: string
  /** Where requests go. */
  url: string
  /** What the app takes its own origin to be. */
  origin: string
  isSecure: boolean
  sessionCookie: string
  /** The session cookie's name under the other protocol. */
  foreignCookie: string
}

interface Person {
  email: string
  password: string
}

/** What is possible only with an app that was started for this run. */
export interface Own {
  password: string
  newPerson: typeof newPerson
  query: (text: string, values: unknown[]) => Promise<unknown>
  /** Another node; settings beyond those of the first. */
  startNode: (env: Record<string, string>) => Promise<RunningServer>
  hasModule: (name: string) => boolean
}

export interface Target {
  sites: [Site, ...Site[]]
  /** Somebody who may sign in. */
  person: Person | undefined
  own: Own | undefined
}

export function describeSite(url: string, origin = new URL(url).origin): Site {
  const isSecure = origin.startsWith('https:')
  const names = ['plinth.session', '__Host-plinth.session'] as const
  return {
    name: isSecure ? 'over https' : 'over http',
    url,
    origin,
    isSecure,
    sessionCookie: names[isSecure ? 1 : 0],
    foreignCookie: names[isSecure ? 0 : 1],
  }
}

/** An app of our own believes what we say about our address: each caller gets one, so that no limit is met by accident. */
export function newCaller({ own }: Target, site: Site): Client {
  const part = () => Math.floor(Math.random() * 256)
  return newClient(site.url, own && { 'x-forwarded-for': `198.18.${part()}.${part()}` })
}

/** Rows that cannot be tried against this target are listed as left out, with the reason. */
export function rowsFor({ person, own }: Target) {
  return {
    /** Needs somebody who may sign in. */
    withPerson: (name: string, run: (person: Person) => Promise<void>) =>
      person ? it(name, () => run(person)) : it(name, { skip: 'needs --email and --password' }, () => {}),
    /** Needs the app's database or settings, or would be a burden to others. */
    withOwn: (name: string, run: (own: Own) => Promise<void>) =>
      own ? it(name, () => run(own)) : it(name, { skip: 'needs an app of its own' }, () => {}),
  }
}

interface SignedIn {
  caller: Client
  token: string
  answer: Answer
}

export async function signIn(target: Target, site: Site, { email, password }: Person): Promise<SignedIn> {
  const caller = newCaller(target, site)
  const answer = await caller.post('/api/auth/signin', { email, password, redirect: false })
  const token = caller.cookies.get(site.sessionCookie)
  if (answer.status !== 200 || !token) throw new Error(`${email} could not sign in: ${answer.status} ${answer.text}`)
  return { caller, token, answer }
}

/** Signs in, does the work, and leaves no session behind. */
export async function whileSignedIn(
  target: Target,
  site: Site,
  person: Person,
  work: (signedIn: SignedIn) => Promise<void>,
): Promise<void> {
  const signedIn = await signIn(target, site, person)
  try {
    await work(signedIn)
  } finally {
    await newCaller(target, site).post('/api/auth/signout', undefined, { authorization: `Bearer ${signedIn.token}` })
  }
}

/** The person behind a token, asked with nothing but the token. */
export async function personOf(target: Target, site: Site, token: string): Promise<{ email: string } | null> {
  const answer = await newCaller(target, site).get('/api/auth/session', { authorization: `Bearer ${token}` })
  return answer.json()?.user ?? null
}
