// Attacks on the Flight protocol, in which browsers send action arguments; its parser had several vulnerabilities.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check } from '../../app/support/checks.ts'
import type { CallOptions } from '../../app/support/http-client.ts'
import { listActions, multipart, verdict } from '../../app/support/server-actions.ts'
import { snapshotState, type World } from '../../app/support/test-world.ts'
import { startCanary } from './support/canary.ts'

type Sent = Pick<CallOptions, 'body' | 'headers'>

/** CPU time that a node has used, in milliseconds: unlike wall time it does not depend on other load. */
function cpuTimeMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const encodeParts = (values: Record<string, string>): Promise<Sent> => multipart(Object.entries(values))
const rawBody = (body: string): Sent => ({ body })
const repeatEntries = (count: number, make: (index: number) => [string, string]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)))

/**
 * Sends each body several times as a signed-in user, while another request polls /api/health. None may succeed, change
 * data, or cost more CPU time than a page.
 */
async function expectHarmless(world: World, bodies: [what: string, sent: Sent][]): Promise<string> {
  const times = 5
  const { jar } = await world.newSession()
  const before = await snapshotState(world)
  let isDone = false
  let slowest = 0
  const watching = (async () => {
    while (!isDone) {
      const { status, milliseconds } = await world.get('/api/health')
      assert.equal(status, 200)
      slowest = Math.max(slowest, milliseconds)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  let mostExpensive = { what: '', cost: 0 }
  try {
    for (const [what, sent] of bodies) {
      const start = cpuTimeMs(world.app.pid)
      for (let round = 0; round < times; round++) {
        const result = await submitAction(world, 'updateProfile', null, { jar: jar.copy(), ...sent })
        assert.ok(result.status >= 400 || verdict(result) === 'invalid_input', `${what}: ${verdict(result)}`)
      }
      const cost = (cpuTimeMs(world.app.pid) - start) / times
      assertFast(cost < 500, `${what} costs ${cost} ms`)
      if (cost > mostExpensive.cost) mostExpensive = { what, cost }
    }
  } finally {
    isDone = true
    await watching
  }
  assert.equal(await snapshotState(world), before)
  assertFast(slowest < 5_000, `health took ${slowest} ms`)
  return `${bodies.length} bodies; the most expensive, ${mostExpensive.what}, took ${mostExpensive.cost} ms of CPU time; health at most ${slowest.toFixed(0)} ms`
}

check(
  'H-279',
  'no action body blocks the node, or costs more CPU time than its size justifies',
  async (world) => {
    const big = 140_000
    const chain = (reference: string, length: number) =>
      repeatEntries(length, (at) => [String(at), `["${reference}${(at + 1).toString(16)}"]`])
    return expectHarmless(world, [
      ['a reference to itself', rawBody('["$0"]')],
      ['a reference into itself', rawBody('["$0:0:0:0:0:0:0:0"]')],
      ['two references to each other', await encodeParts({ 1: '["$2"]', 2: '["$1"]', 0: '["$1"]' })],
      ['a promise of itself', await encodeParts({ 1: '"$@1"', 0: '["$@1"]' })],
      ['an object that is its own then', await encodeParts({ 1: '{"then":"$1:then"}', 0: '["$1"]' })],
      ['a long chain of references', await encodeParts(chain('$', 1200))],
      ['a long chain of promises', await encodeParts(chain('$@', 1200))],
      [
        'many references to one',
        await encodeParts({ 1: `[${'1,'.repeat(20_000)}1]`, 0: `[${'"$1",'.repeat(10_000)}"$1"]` }),
      ],
      [
        'references that double',
        await encodeParts(
          repeatEntries(24, (at) => [
            String(at),
            at === 23 ? '["x"]' : `["$${(at + 1).toString(16)}","$${(at + 1).toString(16)}"]`,
          ]),
        ),
      ],
      ['a huge number', rawBody(`["$n${'9'.repeat(big)}"]`)],
      ['a huge date', rawBody(`["$D${'9'.repeat(big)}"]`)],
      ['nested arrays', rawBody('['.repeat(big / 2) + ']'.repeat(big / 2))],
      ['nested objects', rawBody(`[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}]`)],
      ['a long property path', rawBody(`["$0${':0'.repeat(big / 2)}"]`)],
      ['a large Map', await encodeParts({ 1: `[${'["a","b"],'.repeat(10_000)}["a","b"]]`, 0: '["$Q1"]' })],
      ['a large Set', await encodeParts({ 1: `[${'"a",'.repeat(30_000)}"a"]`, 0: '["$W1"]' })],
      ['a large iterator', await encodeParts({ 1: `[${'"a",'.repeat(30_000)}"a"]`, 0: '["$i1"]' })],
      [
        'many forms of many fields',
        await encodeParts({ ...repeatEntries(400, (at) => [`_1_${at}`, 'x']), 0: `[${'"$K1",'.repeat(400)}"$K1"]` }),
      ],
      ['many streams', await encodeParts({ 0: `[${'"$R1","$r2","$x3","$X4",'.repeat(1_000)}null]` })],
      [
        'bound arguments that are bound',
        await encodeParts({ 1: '{"id":"x","bound":"$@2"}', 2: '["$F1","$h1"]', 0: '["$F1","$h1"]' }),
      ],
    ])
  },
  { full: 'measures time or memory' },
)

check(
  'H-280',
  'a thousand multipart parts are rejected at no cost',
  async (world) => {
    const junk = (prefix: string) => repeatEntries(1_000, (at) => [`${prefix}${at}`, 'x'])
    const files = await multipart([
      ...Array.from({ length: 600 }, (_, at): [string, Blob] => [`_1_${at}`, new Blob(['x'])]),
      ['0', '[null,"$K1"]'],
    ])
    const output = await expectHarmless(world, [
      ['a thousand parts', await encodeParts({ ...junk(''), 0: '["$1"]' })],
      ['a thousand fields', await encodeParts({ ...junk('_1_'), 0: '[null,"$K1"]' })],
      ['a thousand unreferenced parts', await encodeParts({ ...junk('x'), 0: '[{}]' })],
      ['six hundred files', files],
    ])
    // Without JavaScript a form names its action in fields: here a thousand of them, with ids that do not exist.
    for (const prefix of ['$ACTION_ID_', '$ACTION_REF_', '$ACTION_1:']) {
      const sent = await encodeParts(junk(prefix))
      const headers = { ...sent.headers, Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }
      const result = await world.get('/signin', { method: 'POST', ...sent, headers })
      assert.deepEqual(
        result.setCookies.filter((line) => /session=\w/.test(line)),
        [],
      )
    }
    assert.equal((await world.get('/api/health')).status, 200)
    return output
  },
  { full: 'measures time or memory' },
)

check(
  'H-286',
  'no input to an action runs as code',
  async (world) => {
    const file = join(tmpdir(), `plinth-canary-${crypto.randomUUID()}`)
    const canary = await startCanary()
    const [left, right] = [crypto.randomUUID(), crypto.randomUUID()]
    const codes = [
      `process.mainModule.require('child_process').execSync('touch ${file}');`,
      `process.getBuiltinModule('fs').writeFileSync('${file}','');`,
      `fetch('http://127.0.0.1:${canary.port}/');`,
      `throw Object.assign(new Error('NEXT_REDIRECT'),{digest:'NEXT_REDIRECT;push;/'+'${left}'+'${right}'+';307;'});`,
      'process.exit(7);',
    ]
    const gadgets = (code: string): Record<string, string>[] => {
      const response = { _prefix: code, _chunks: '$Q2', _formData: { get: '$1:constructor:constructor' } }
      const model = {
        // biome-ignore lint/suspicious/noThenProperty: this is the attack
        then: '$1:__proto__:then',
        status: 'resolved_model',
        reason: -1,
        value: '{"then":"$B1337"}',
        _response: response,
      }
      return [
        { 0: JSON.stringify(model), 1: '"$@0"', 2: '[]' },
        { 0: JSON.stringify([model]), 1: '"$@0"', 2: '[]' },
        { 0: '["$1"]', 1: JSON.stringify(model).replace('$1:', '$3:'), 2: '[]', 3: '"$@1"' },
        { 0: '["$1:constructor:constructor"]', 1: '{}', 2: '[]' },
        { 0: `[{"then":"$1:constructor:constructor","a":${JSON.stringify(code)}}]`, 1: '[]' },
        { 0: '["$F1"]', 1: JSON.stringify({ id: 'vm#runInThisContext', bound: [code] }) },
        {
          0: '["$h1"]',
          1: JSON.stringify({ id: 'child_process#execSync', bound: `$@2` }),
          2: JSON.stringify([`touch ${file}`]),
        },
        {
          $ACTION_REF_0: '',
          '$ACTION_0:0': JSON.stringify({ id: 'vm#runInThisContext', bound: '$@1' }),
          '$ACTION_0:1': JSON.stringify([code]),
        },
        { $ACTION_REF_0: '', '$ACTION_0:0': JSON.stringify(model), '$ACTION_0:1': '"$@0"', '$ACTION_0:2': '[]' },
      ]
    }
    const { jar } = await world.newSession()
    const before = await snapshotState(world)
    const { id } = listActions()[0] ?? assert.fail()
    let sent = 0
    try {
      for (const code of codes)
        for (const fields of gadgets(code)) {
          const form = await encodeParts(fields)
          const own = { ...form.headers, Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }
          const ways: [path: string, headers: Record<string, string>][] = [
            ['/', { ...own, 'Next-Action': 'x' } as Record<string, string>],
            ['/signin', { ...own, 'Next-Action': id, Accept: 'text/x-component' } as Record<string, string>],
            ['/account/profile', own as Record<string, string>],
          ]
          for (const [path, headers] of ways) {
            const result = await world.get(path, {
              method: 'POST',
              body: form.body ?? '',
              headers,
              jar: jar.copy(),
            })
            const output = result.text + result.head
            assert.ok(!output.includes(left + right), 'it ran: its result is in the response')
            assert.ok(result.status >= 400 || result.status === 200 || result.status === 303, String(result.status))
            sent++
          }
        }
      for (const body of [
        '["$1:constructor:constructor"]',
        '[{"then":"$1:__proto__:then"}]',
        '["$B1337"]',
        '{"then":"$0:then"}',
      ])
        assert.notEqual(verdict(await submitAction(world, 'updateProfile', null, { jar: jar.copy(), body })), 'ok')
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.ok(!existsSync(file), 'it ran: there is a file')
      assert.equal(canary.count(), 0, 'it ran: it opened a connection')
    } finally {
      await canary.stop()
      rmSync(file, { force: true })
    }
    assert.equal((await world.get('/api/health')).status, 200)
    assert.equal(await snapshotState(world), before)
    return `${sent} requests`
  },
  { full: 'takes long' },
)

check(
  'H-287',
  'an action that receives a function reference does not reveal its source code',
  async (world) => {
    const { jar } = await world.newSession({ role: 'admin' })
    const before = await snapshotState(world)
    const source = /=>|\bfunction\b|\basync\b|__TURBOPACK|use server|\bawait\b/
    let asked = 0
    for (const { name, id } of listActions())
      for (const reference of ['$F1', '$h1']) {
        const fields = [
          'name',
          'email',
          'password',
          'id',
          'userId',
          'title',
          'code',
          'token',
          'search',
          'typedEmail',
          'typedName',
          'ids',
        ]
        const zero = `[{${fields.map((field) => `"${field}":"${reference}"`).join()}}]`
        for (const body of [zero, `["${reference}"]`]) {
          const form = await encodeParts({ 1: JSON.stringify({ id, bound: null }), 0: body })
          const result = await submitAction(world, name, null, { jar: jar.copy(), ...form })
          // Only the action result or its error; the page payload that follows is not part of it.
          const said = result.text
            .split('\n')
            .filter((line) => /^1:/.test(line))
            .join('\n')
          assert.doesNotMatch(said, source, name)
          asked++
        }
      }
    // Some actions need no input and end the caller's sessions; other users are not affected.
    assert.equal((await snapshotState(world)).length, before.length)
    return `${asked} calls`
  },
  { full: 'takes long' },
)
