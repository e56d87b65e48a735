import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import type { ModuleUi } from '@/core/module-ui'
import { root } from '../../../scripts/root.ts'
import { countRoundTrips, startRelay } from './count-round-trips'
import { asRequest } from './next-headers'

vi.mock('next/cache', () => ({ refresh: () => {} }))

// Before a test file imports anything that connects.
process.env.DATABASE_URL = await startRelay(process.env.DATABASE_URL ?? '')

/** The headers of a browser. */
export const fromBrowser = { 'sec-fetch-site': 'same-origin', 'user-agent': 'test' }

/** The headers of a browser with a session. */
export const withSession = (token: string) => ({ ...fromBrowser, cookie: `plinth.session=${token}` })

type Route = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>

/** Calls a route; throws unless it responds with this status. */
export async function call(route: Route, headers: Record<string, string>, body?: object, status = 200): Promise<void> {
  const sent = { ...headers, ...(body && { 'content-type': 'application/json' }) }
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
  const request = new Request('http://localhost:3000', { ...init, headers: sent })
  const response = await asRequest(sent, () => route(request, { params: Promise.resolve({}) }))
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`)
}

/** Calls an action; throws if it fails. An action that redirects has succeeded. */
export async function act(
  action: () => Promise<{ ok: boolean }>,
  headers: Record<string, string> = fromBrowser,
): Promise<void> {
  const result = await asRequest(headers, action).catch((error) => {
    if (!String(error.digest).startsWith('NEXT_REDIRECT')) throw error
  })
  if (result?.ok === false) throw new Error(JSON.stringify(result))
}

/** Prepares the operation, and returns the part that counts. */
type Operation = () => Promise<() => Promise<unknown>>

/** The rows of one owner in the table of docs/round-trips.md. */
function readTable(owner: string) {
  const rows = readFileSync(join(root, 'docs', 'round-trips.md'), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells[2] === owner)
    .map(([, operation, , trips, statements]) => [operation, { trips: Number(trips), statements: Number(statements) }])
  return Object.fromEntries(rows) as Record<string, { trips: number; statements: number }>
}

/** Opens as many connections as statements may be sent together: opening one would look like a round trip. */
async function openConnections(): Promise<void> {
  const { pool } = await import('@/core/db/client')
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  for (const client of clients) client.release()
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

/**
 * Compares what these operations cost with the rows of their owner in docs/round-trips.md: core, or the name of a module. Pages
 * also need its `ui.tsx`.
 */
export function testRoundTrips(owner: string, operations: Record<string, Operation>, uis?: ModuleUi[]): void {
  const table = readTable(owner)

  // Core alone, or with this module: the numbers must not depend on which other modules are installed.
  beforeAll(async () => {
    const { modules } = await import('@/modules')
    modules.splice(0, modules.length, ...modules.filter(({ name }) => name === owner))
    if (!uis) return
    const { moduleUis } = await import('@/module-uis')
    moduleUis.splice(0, moduleUis.length, ...uis)
  })

  test(`docs/round-trips.md lists the round trips of ${owner}`, () => {
    expect(Object.keys(table).sort()).toEqual(Object.keys(operations).sort())
  })

  test.each(Object.keys(operations))('%s takes as many round trips as docs/round-trips.md says', async (name) => {
    const prepare = operations[name]
    // Once before, so that what is loaded only once does not count.
    await (await prepare?.())?.()
    const work = await prepare?.()
    await openConnections()
    const roundTrips = await countRoundTrips(async () => work?.())
    const list = roundTrips.map((sent, index) => sent.map((text) => `  ${index + 1}. ${oneLine(text)}`).join('\n'))
    const counted = { trips: roundTrips.length, statements: roundTrips.flat().length }
    expect(counted, `${name} sent:\n${list.join('\n')}\n`).toEqual(table[name])
  })
}
