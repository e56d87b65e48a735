import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

interface Jar {
  get(name: string): { value: string } | undefined
  set(name: string, value: string, options?: object): void
}

const current = new AsyncLocalStorage<{ headers: Headers; jar: Jar }>()

/** Runs work as if Next were serving a request with these headers, to a browser that keeps what it is given. */
export function asRequest<T>(headers: Record<string, string>, work: () => T): T {
  const kept = new Map<string, string>()
  const jar: Jar = {
    get: (name) => (kept.has(name) ? { value: kept.get(name) ?? '' } : undefined),
    set: (name, value) => kept.set(name, value),
  }
  return current.run({ headers: new Headers(headers), jar }, work)
}

vi.mock('next/headers', () => ({
  headers: async () => current.getStore()?.headers ?? new Headers(),
  cookies: async () => current.getStore()?.jar,
}))
