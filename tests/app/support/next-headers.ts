import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

interface CookieJar {
  get(name: string): { value: string } | undefined
  set(name: string, value: string, options?: object): void
}

const current = new AsyncLocalStorage<{ headers: Headers; jar: CookieJar }>()

/** Runs work as in a Next request with these headers. Cookies that it sets can be read again during the same call. */
export function asRequest<T>(headers: Record<string, string>, work: () => T): T {
  const sent = headers.cookie?.split('; ').map((pair) => pair.split('=', 2) as [string, string])
  const values = new Map(sent)
  const jar: CookieJar = {
    get: (name) => (values.has(name) ? { value: values.get(name) ?? '' } : undefined),
    set: (name, value) => values.set(name, value),
  }
  return current.run({ headers: new Headers(headers), jar }, work)
}

vi.mock('next/headers', () => ({
  headers: async () => current.getStore()?.headers ?? new Headers(),
  cookies: async () => current.getStore()?.jar,
}))
