// Signing in at the local stand-ins for Google and GitHub, request by request, as a browser would.
import assert from 'node:assert/strict'
import type { RunningServer } from '../support/server.ts'
import { type Answer, call, Jar } from './client.ts'

export type ProviderId = 'google' | 'github'

/** Asks the app to start, with the token that its forms need: returns where it leads, or fails. */
export async function start(
  node: RunningServer,
  provider: ProviderId,
  jar: Jar,
  callbackUrl = '/dashboard',
): Promise<URL> {
  const { csrfToken } = (await call(node.url, '/api/auth/csrf', { jar })).json()
  const body = new URLSearchParams({ csrfToken, callbackUrl }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = await call(node.url, `/api/auth/signin/${provider}`, { body, jar, headers })
  assert.equal(answer.status, 302, answer.text)
  return new URL(answer.headers.location ?? '')
}

/** A browser at the provider, whose answers are none of the app's. */
class Visitor {
  private readonly jar = new Jar()

  async go(
    url: string | URL,
    form?: Record<string, string>,
  ): Promise<{ location: string | null; text: string; url: URL }> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie: String(this.jar) },
      redirect: 'manual',
      ...(form && { body: new URLSearchParams(form) }),
    })
    this.jar.take(response.headers.getSetCookie())
    const location = response.headers.get('location')
    return { location: location && new URL(location, url).href, text: await response.text(), url: new URL(url) }
  }
}

/** Agrees over there as that person: returns the address that leads back, with its code, not yet called. */
export async function agree(authorization: URL, provider: ProviderId, email: string): Promise<URL> {
  const visitor = new Visitor()
  if (provider === 'github') {
    const { location } = await visitor.go(new URL(authorization.pathname, authorization), {
      ...Object.fromEntries(authorization.searchParams),
      email,
    })
    return new URL(location ?? '')
  }
  let step = await visitor.go(authorization)
  for (let hops = 0; hops < 12; hops++) {
    if (step.location?.includes('/api/auth/callback/')) return new URL(step.location)
    if (step.location) step = await visitor.go(step.location)
    else if (step.text.includes('name="login"'))
      step = await visitor.go(step.url, { prompt: 'login', login: email, password: 'any' })
    else step = await visitor.go(step.url, { prompt: 'consent' })
  }
  throw new Error('the provider never led back')
}

export const comeBack = (node: RunningServer, callback: URL, jar: Jar): Promise<Answer> =>
  call(node.url, callback.pathname + callback.search, { jar })

/** All of it. */
export async function signInAt(
  node: RunningServer,
  provider: ProviderId,
  email: string,
  jar = new Jar(),
): Promise<{ answer: Answer; jar: Jar }> {
  const callback = await agree(await start(node, provider, jar), provider, email)
  return { answer: await comeBack(node, callback, jar), jar }
}
