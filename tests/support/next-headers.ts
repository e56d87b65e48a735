import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'

const current = new AsyncLocalStorage<Headers>()

/** Runs work as if Next were serving a request with these headers. */
export function asRequest<T>(headers: Record<string, string>, work: () => T): T {
  return current.run(new Headers(headers), work)
}

vi.mock('next/headers', () => ({ headers: async () => current.getStore() ?? new Headers() }))
