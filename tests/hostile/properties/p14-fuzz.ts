import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RunningServer } from '../../support/server.ts'
import { asForm, captured, everyAction } from '../actions.ts'
import { assertSoon, check } from '../checks.ts'
import { call, callRaw, someAddress } from '../client.ts'
import { password, submit, type World } from '../world.ts'
import { holds } from './property.ts'

/** What means something to React's way of writing, to JSON, to forms or to HTTP, and what means nothing anywhere. */
const piece = fc.oneof(
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
  text: piece,
})

function mutate(bytes: Buffer, { how, at, length, text }: Mutation): Buffer {
  const place = at % (bytes.length + 1)
  const [before, after, rest] = [bytes.subarray(0, place), bytes.subarray(place), bytes.subarray(place + length)]
  if (how === 'put') return Buffer.concat([before, Buffer.from(text), after])
  if (how === 'exchange') return Buffer.concat([before, Buffer.from(text), rest])
  if (how === 'take') return Buffer.concat([before, rest])
  if (how === 'repeat')
    return Buffer.concat([before, ...Array(length * 20).fill(bytes.subarray(place, place + length)), rest])
  return before
}

/** The node still answers, and no slower than it is a matter of a busy machine. */
async function isWell(node: RunningServer, waits: number[]): Promise<void> {
  const { status, milliseconds } = await call(node.url, '/api/health')
  assert.equal(status, 200)
  process.kill(node.pid, 0)
  waits.push(milliseconds)
}

/** No one of many waits is far beyond what is usual here. */
function isEven(waits: number[]): string {
  const usual = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0
  const longest = Math.max(...waits)
  assertSoon(longest < Math.max(2_000, usual * 200), `health took ${longest} ms, and ${usual} ms as a rule`)
  return `health answered in ${usual.toFixed(1)} ms as a rule, ${longest.toFixed(0)} ms at most`
}

const fuzzNode = (world: World) => world.node('made-up input', { DATABASE_URL: world.env.DATABASE_URL })

check('P-14', 'no body of an action, however broken, ends the process or keeps it busy', async (world) => {
  const node = await fuzzNode(world)
  const { jar, email } = await world.newSession()
  const waits: number[] = []
  const statuses: Record<number, number> = {}
  const actions = everyAction().filter(({ page }) => !page.includes('['))
  const result = await holds(
    'P-14',
    fc.asyncProperty(
      fc.nat(actions.length - 1),
      fc.boolean(),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      async (index, isForm, mutations) => {
        const { name } = actions[index] ?? assert.fail()
        // Of somebody whom there is not: what still makes sense after all must not sign us out.
        const input = captured(name, { email: `x-${email}`, password: `x${password}` })
        const form = await asForm(Object.entries(input).map(([field, value]) => [field, String(value)]))
        const sent = isForm ? form : { body: Buffer.from(JSON.stringify([input])), headers: {} }
        const body = mutations.reduce((bytes, one) => mutate(bytes, one), sent.body as Buffer)
        const answer = await submit(world, name, null, {
          node,
          jar: jar.copy(),
          headers: sent.headers,
          body,
          may500: true,
        })
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        // Next answers 500 to what it cannot read. The app never says that it is away, nor anything else of that kind.
        assert.ok(answer.status <= 500, `${name} answered ${answer.status}`)
        await isWell(node, waits)
      },
    ),
    { note: () => `${isEven(waits)}; statuses ${JSON.stringify(statuses)}` },
  )
  assert.doesNotMatch(node.output(), /uncaughtException|unhandledRejection|FATAL/i)
  return result
})

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
const more = ['Next-Action', 'RSC', 'Next-Router-State-Tree', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Request-Id']
const last = [
  'Sec-Fetch-Site',
  'If-None-Match',
  'Range',
  'Upgrade',
  'X-Middleware-Subrequest',
  'X-Plinth-Socket-Address',
]

/** The same letters, each large or small. */
const cased = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((large) =>
      [...name].map((letter, index) => (large[index] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    )

/** All bytes that are not the end of a line, many of them above 0x7f. */
const value = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x80, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 30 }),
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 60 }),
  fc.constantFrom(
    'Bearer ',
    'plinth.session=',
    'plinth.session=%ff',
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
  .constantFrom(...names, ...more, ...last)
  .chain((name) => fc.tuple(cased(name), value, fc.integer({ min: 1, max: 3 })))

const target = fc.constantFrom('/api/auth/session', '/api/health', '/signin', '/dashboard', '/api/posts', '/')

check(
  'P-15',
  'no header, in whatever case, however often and of whatever bytes, is more than a refusal',
  async (world) => {
    const node = await fuzzNode(world)
    const waits: number[] = []
    const statuses: Record<number, number> = {}
    const result = await holds(
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
            `X-Forwarded-For: ${someAddress()}`,
            ...lines,
          ]
          const end = ['Content-Length: 0', 'Connection: close', '', '']
          // Next itself answers 500 to what claims to be for an action and is not.
          const may500 = head.some((line) => /^next-action:/i.test(line))
          const answer = await callRaw(node.url, Buffer.from([...head, ...end].join('\r\n'), 'latin1'), { may500 })
          statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
          assert.ok(answer.status >= 200 && answer.status < 500, `${method} ${path} answered ${answer.status}`)
          await isWell(node, waits)
        },
      ),
      { note: () => `${isEven(waits)}; statuses ${JSON.stringify(statuses)}` },
    )
    assert.doesNotMatch(node.output(), /uncaughtException|unhandledRejection|FATAL/i)
    return result
  },
)
