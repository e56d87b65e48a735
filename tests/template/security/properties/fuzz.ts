import assert from 'node:assert/strict'
import fc from 'fast-check'
import { appSlug } from '../../../../src/brand.ts'
import { submitAction } from '../../../app/support/call-action.ts'
import { assertFast, check } from '../../../app/support/checks.ts'
import { call, callRaw } from '../../../app/support/http-client.ts'
import { randomIp } from '../../../app/support/random-ip.ts'
import type { RunningServer } from '../../../app/support/server.ts'
import { encodeReactForm, listActions, validInputOf } from '../../../app/support/server-actions.ts'
import { password, type World } from '../../../app/support/test-world.ts'
import { assertProperty } from './support/property.ts'

/** Tokens with a meaning in React's Flight format, JSON, forms or HTTP, and random bytes. */
const fragment = fc.oneof(
  fc.constantFrom(
    ...[
      '$',
      '$$',
      '$K1',
      '$F1',
      '$@0',
      '$Q1',
      '$W1',
      '$n9',
      '$D',
      '$undefined',
      '$1:__proto__:then',
      '$0:a:b',
      '$B1',
      '$i1',
    ],
    ...[
      '[',
      ']',
      '{',
      '}',
      '"',
      ',',
      ':',
      'null',
      '1e999',
      '-0',
      '\\u0000',
      '\\ud800',
      '__proto__',
      'constructor',
      'then',
    ],
    ...['\r\n', '\r\n\r\n', '--', 'Content-Disposition: form-data; name="0"', '\0', '\u{1f600}'],
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

interface Mutation {
  how: 'put' | 'take' | 'exchange' | 'repeat' | 'cut'
  at: number
  length: number
  text: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  how: fc.constantFrom('put', 'put', 'exchange', 'exchange', 'take', 'repeat', 'cut'),
  at: fc.nat(10_000),
  length: fc.integer({ min: 1, max: 12 }),
  text: fragment,
})

function mutate(bytes: Buffer, { how, at, length, text }: Mutation): Buffer {
  const position = at % (bytes.length + 1)
  const [before, after, rest] = [
    bytes.subarray(0, position),
    bytes.subarray(position),
    bytes.subarray(position + length),
  ]
  if (how === 'put') return Buffer.concat([before, Buffer.from(text), after])
  if (how === 'exchange') return Buffer.concat([before, Buffer.from(text), rest])
  if (how === 'take') return Buffer.concat([before, rest])
  if (how === 'repeat')
    return Buffer.concat([before, ...Array(length * 20).fill(bytes.subarray(position, position + length)), rest])
  return before
}

/** Checks that the node still responds, and records how long it took. */
async function assertHealthy(node: RunningServer, latencies: number[]): Promise<void> {
  const { status, milliseconds } = await call(node.url, '/api/health')
  assert.equal(status, 200)
  process.kill(node.pid, 0)
  latencies.push(milliseconds)
}

/** Checks that no single wait is far above the median. */
function describeLatencies(latencies: number[]): string {
  const medianMs = latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length / 2)] ?? 0
  const longest = Math.max(...latencies)
  assertFast(longest < Math.max(2_000, medianMs * 200), `health took ${longest} ms, with a median of ${medianMs} ms`)
  return `health took ${medianMs.toFixed(1)} ms (median), at most ${longest.toFixed(0)} ms`
}

const fuzzNode = (world: World) => world.node('made-up input', { DATABASE_URL: world.env.DATABASE_URL })

check(
  'P-14',
  'no action body, however malformed, ends or blocks the process',
  async (world) => {
    const node = await fuzzNode(world)
    const { jar, email } = await world.newSession()
    const latencies: number[] = []
    const statuses: Record<number, number> = {}
    const actions = listActions().filter(({ page }) => !page.includes('['))
    const result = await assertProperty(
      'P-14',
      fc.asyncProperty(
        fc.nat(actions.length - 1),
        fc.boolean(),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        async (index, isForm, mutations) => {
          const { name } = actions[index] ?? assert.fail()
          // The input names a user that does not exist: a body that is still valid after the mutation must not sign us
          // out.
          const input = validInputOf(name, { email: `x-${email}`, password: `x${password}` })
          const form = await encodeReactForm(Object.entries(input).map(([field, value]) => [field, String(value)]))
          const sent = isForm ? form : { body: Buffer.from(JSON.stringify([input])), headers: {} }
          const body = mutations.reduce((bytes, one) => mutate(bytes, one), sent.body as Buffer)
          const response = await submitAction(world, name, null, {
            node,
            jar: jar.copy(),
            headers: sent.headers,
            body,
          })
          statuses[response.status] = (statuses[response.status] ?? 0) + 1
          assert.ok(response.status < 500, `${name} returned ${response.status}`)
          await assertHealthy(node, latencies)
        },
      ),
      { note: () => `${describeLatencies(latencies)}; statuses ${JSON.stringify(statuses)}` },
    )
    assert.doesNotMatch(node.output(), /uncaughtException|unhandledRejection|FATAL/i)
    return result
  },
  { full: 'measures time or memory' },
)

const names = [
  'Accept',
  'Accept-Language',
  'Authorization',
  'Cookie',
  'Content-Type',
  'Origin',
  'Referer',
  'User-Agent',
]
const nextHeaders = [
  'Next-Action',
  'RSC',
  'Next-Router-State-Tree',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Request-Id',
]
const otherHeaders = [
  'Sec-Fetch-Site',
  'If-None-Match',
  'Range',
  'Upgrade',
  'X-Middleware-Subrequest',
  'X-Plinth-Socket-Address',
]

/** The name with random upper and lower case. */
const randomCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((large) =>
      [...name].map((letter, index) => (large[index] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    )

/** All bytes except line ends, many of them above 0x7f. */
const value = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  fc.constantFrom(
    'Bearer ',
    `${appSlug}.session=`,
    `${appSlug}.session=%ff`,
    '[',
    '"',
    'a'.repeat(2_000),
    ',,,',
    'null',
    'same-origin',
    '-1',
  ),
)

const header = fc
  .constantFrom(...names, ...nextHeaders, ...otherHeaders)
  .chain((name) => fc.tuple(randomCase(name), value, fc.integer({ min: 1, max: 3 })))

const target = fc.constantFrom('/api/auth/session', '/api/health', '/signin', '/dashboard', '/api/posts', '/')

check(
  'P-15',
  'no header, in any case, count and bytes, causes more than a 4xx',
  async (world) => {
    const node = await fuzzNode(world)
    const latencies: number[] = []
    const statuses: Record<number, number> = {}
    const result = await assertProperty(
      'P-15',
      fc.asyncProperty(
        target,
        fc.constantFrom('GET', 'HEAD', 'POST'),
        fc.array(header, { minLength: 1, maxLength: 5 }),
        async (path, method, headers) => {
          const lines = headers.flatMap(([name, text, times]) => Array<string>(times).fill(`${name}: ${text}`))
          const head = [
            `${method} ${path} HTTP/1.1`,
            `Host: ${new URL(node.url).host}`,
            `X-Forwarded-For: ${randomIp()}`,
            ...lines,
          ]
          const end = ['Content-Length: 0', 'Connection: close', '', '']
          // Next itself responds with 500 to an invalid Next-Action.
          const may500 = head.some((line) => /^next-action:/i.test(line))
          const response = await callRaw(node.url, Buffer.from([...head, ...end].join('\r\n'), 'latin1'), {
            allow500: may500,
          })
          statuses[response.status] = (statuses[response.status] ?? 0) + 1
          assert.ok(response.status >= 200 && response.status < 500, `${method} ${path} returned ${response.status}`)
          await assertHealthy(node, latencies)
        },
      ),
      { note: () => `${describeLatencies(latencies)}; statuses ${JSON.stringify(statuses)}` },
    )
    assert.doesNotMatch(node.output(), /uncaughtException|unhandledRejection|FATAL/i)
    return result
  },
  { full: 'measures time or memory' },
)
