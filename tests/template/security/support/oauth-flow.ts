// Signs in at the local stand-ins for Google and GitHub, request by request, like a browser.
import assert from 'node:assert/strict'
import { call, type HttpResponse, Jar } from '../../../app/support/http-client.ts'
import type { RunningServer } from '../../../app/support/server.ts'

/** The last is the OpenID issuer of the misbehaving provider; the app under test does not have it. */
export type ProviderId = 'google' | 'github' | 'oidc-bad'

/** Starts the OAuth flow, with the CSRF token that the form needs. Returns the authorization URL. */
export async function startOAuth(
  node: RunningServer,
  provider: ProviderId,
  jar: Jar,
  callbackUrl = '/dashboard',
): Promise<URL> {
  const { csrfToken } = (await call(node.url, '/api/auth/csrf', { jar })).json()
  const body = new URLSearchParams({ csrfToken, callbackUrl }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const result = await call(node.url, `/api/auth/signin/${provider}`, { body, jar, headers })
  assert.equal(result.status, 302, result.text)
  return new URL(result.headers.location ?? '')
}

/** A browser at the provider. Its responses are not checked against the invariants of the app. */
class ProviderBrowser {
  private readonly jar = new Jar()

  async request(
    url: string | URL,
    form?: Record<string, string>,
  ): Promise<{ location: string | null; text: string; url: URL }> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      headers: { cookie: String(this.jar) },
      redirect: 'manual',
      ...(form && { body: new URLSearchParams(form) }),
    })
    this.jar.applySetCookies(response.headers.getSetCookie())
    const location = response.headers.get('location')
    return { location: location && new URL(location, url).href, text: await response.text(), url: new URL(url) }
  }
}

/** Gives consent at the provider as that user. Returns the callback URL with its code, not yet requested. */
export async function giveConsent(authorization: URL, provider: ProviderId, email: string): Promise<URL> {
  const browser = new ProviderBrowser()
  if (provider === 'github') {
    const { location } = await browser.request(new URL(authorization.pathname, authorization), {
      ...Object.fromEntries(authorization.searchParams),
      email,
    })
    return new URL(location ?? '')
  }
  let step = await browser.request(authorization)
  for (let hops = 0; hops < 12; hops++) {
    if (step.location?.includes('/api/auth/callback/')) return new URL(step.location)
    if (step.location) step = await browser.request(step.location)
    else step = await browser.request(step.url, { email })
  }
  throw new Error('the provider did not redirect back')
}

export const callCallback = (node: RunningServer, callback: URL, jar: Jar): Promise<HttpResponse> =>
  call(node.url, callback.pathname + callback.search, { jar })

/** The whole flow: start, consent and callback. */
export async function signInWithProvider(
  node: RunningServer,
  provider: ProviderId,
  email: string,
  jar = new Jar(),
): Promise<{ result: HttpResponse; jar: Jar }> {
  const callback = await giveConsent(await startOAuth(node, provider, jar), provider, email)
  return { result: await callCallback(node, callback, jar), jar }
}
