import { AsyncLocalStorage } from 'node:async_hooks'
import * as React from 'react'
import { createElement, isValidElement, type ReactNode } from 'react'
import { vi } from 'vitest'
import { asRequest } from './next-headers'

type Component = (props: never) => ReactNode | Promise<ReactNode>

const cached = new AsyncLocalStorage<Map<unknown, Map<string, unknown>>>()

/** Thrown by a component with hooks. */
class RunsInBrowser extends Error {}

const { __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: internals } = React as unknown as {
  __CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE: { H: object }
}
internals.H = new Proxy(
  {},
  {
    get: () => {
      throw new RunsInBrowser()
    },
  },
)

// Outside React's own server renderer, `cache` remembers nothing.
vi.mock('react', async (original) => ({ ...(await original<object>()), cache }))

function cache(work: (...args: unknown[]) => unknown) {
  return (...args: unknown[]) => {
    const results = cached.getStore()?.get(work) ?? new Map<string, unknown>()
    cached.getStore()?.set(work, results)
    const key = JSON.stringify(args)
    if (!results.has(key)) results.set(key, work(...args))
    return results.get(key)
  }
}

/**
 * Calls the components of a page and of its layouts as the server does: all at once, and what each returns after it. So it
 * sends what they read from the database. A component with hooks runs in the browser, so only its props are rendered.
 */
export function loadPage(headers: Record<string, string>, components: Component[], params: object = {}): Promise<void> {
  const props = { params: Promise.resolve(params), searchParams: Promise.resolve({}) }
  const elements = components.map((component) => createElement(component as () => ReactNode, props))
  return cached.run(new Map(), () => asRequest(headers, () => load(elements)))
}

async function load(node: unknown): Promise<void> {
  if (Array.isArray(node)) await Promise.all(node.map(load))
  else if (node instanceof Promise) await load(await node)
  else if (isValidElement(node)) await load(await outputOf(node.type, node.props as object))
}

async function outputOf(type: unknown, props: object): Promise<unknown> {
  if (typeof type !== 'function') return Object.values(props)
  try {
    return await (type as Component)(props as never)
  } catch (error) {
    if (!(error instanceof RunsInBrowser)) throw error
    return Object.values(props)
  }
}
