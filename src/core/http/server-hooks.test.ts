import { type ChannelListener, unsubscribe } from 'node:diagnostics_channel'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'

const channel = 'http.server.request.start'
const subscriptions: ChannelListener[] = []

vi.mock('node:diagnostics_channel', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:diagnostics_channel')>()
  const subscribe: typeof original.subscribe = (name, listener) => {
    if (name === channel) subscriptions.push(listener)
    original.subscribe(name, listener)
  }
  return { ...original, subscribe }
})

/** Loads the files anew, as in a process that has just started. */
async function startProcess(env: Record<string, string> = { NODE_ENV: 'production' }) {
  vi.resetModules()
  vi.stubGlobal('plinthRequestListeners', undefined)
  vi.stubGlobal('plinthHasSeenRequest', undefined)
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { onEveryRequest } = await import('./server-hooks')
  const { hardenHttp } = await import('./harden')
  const { clientIp } = await import('./client-ip')
  return { onEveryRequest, hardenHttp, clientIp }
}

/** Serves one request, and returns what `handle` returns. */
async function serveRequest(handle: (headers: Headers) => string): Promise<string> {
  await using server = createServer((request, response) => {
    try {
      response.end(handle(new Headers(request.headers as Record<string, string>)))
    } catch (error) {
      response.end(`${error}`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    headers: { connection: 'close', 'x-plinth-socket-address': '192.0.2.1' },
  })
  return response.text()
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  for (const listener of subscriptions.splice(0)) unsubscribe(channel, listener)
})

test('every listener is called for a request, and all share one subscription', async () => {
  const { onEveryRequest } = await startProcess()
  const called: string[] = []
  onEveryRequest(() => called.push('first'))
  onEveryRequest(() => called.push('second'))
  await serveRequest(() => '')
  expect(called).toEqual(['first', 'second'])
  expect(subscriptions).toHaveLength(1)
})

describe('in production, reading the client IP', () => {
  test('gives that of the socket once the hooks run', async () => {
    const { hardenHttp, clientIp } = await startProcess()
    hardenHttp()
    expect(await serveRequest((headers) => clientIp(headers, 0))).toBe('127.0.0.1')
  })

  test('fails if the hooks have never run, even if the caller sends the header', async () => {
    const { clientIp } = await startProcess()
    expect(await serveRequest((headers) => clientIp(headers, 0))).toMatch(/^AppError: Temporarily unavailable/)
    expect(() => clientIp(new Headers(), 0)).toThrow(
      expect.objectContaining({
        code: 'unavailable',
        cause: expect.objectContaining({ message: expect.stringContaining('http.server.request.start') }),
      }),
    )
  })

  test('works without hooks during next build, which has no server', async () => {
    const { clientIp } = await startProcess({ NODE_ENV: 'production', NEXT_PHASE: 'phase-production-build' })
    expect(clientIp(new Headers(), 0)).toBe('unknown')
  })
})
