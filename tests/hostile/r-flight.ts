// R. What a browser sends to an action is a language of its own, and its reader was fooled more than once.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyAction, multipart, verdict } from './actions.ts'
import { startCanary } from './canary.ts'
import { assertSoon, check } from './checks.ts'
import type { Call } from './client.ts'
import { image, submit, type World } from './world.ts'

type Sent = Pick<Call, 'body' | 'headers'>

/** Processor time that a node has used, in milliseconds: unlike time on the wall it does not depend on who else is busy. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const parts = (values: Record<string, string>): Promise<Sent> => multipart(Object.entries(values))
const plain = (body: string): Sent => ({ body })
const many = (count: number, make: (index: number) => [string, string]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index)))

/**
 * Sends each several times, as somebody who is signed in, while others ask whether the node lives. None may succeed, change
 * anything, or cost more processor time than a page does.
 */
async function expectHarmless(world: World, bodies: [what: string, sent: Sent][]): Promise<string> {
  const times = 5
  const { jar } = await world.newSession()
  const before = await image(world)
  let isOver = false
  let slowest = 0
  const watching = (async () => {
    while (!isOver) {
      const { status, milliseconds } = await world.get('/api/health')
      assert.equal(status, 200)
      slowest = Math.max(slowest, milliseconds)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  let dearest = { what: '', cost: 0 }
  try {
    for (const [what, sent] of bodies) {
      const start = processorTime(world.app.pid)
      for (let round = 0; round < times; round++) {
        const answer = await submit(world, 'updateProfile', null, { jar: jar.copy(), may500: true, ...sent })
        assert.ok(answer.status >= 400 || verdict(answer) === 'invalid_input', `${what}: ${verdict(answer)}`)
      }
      const cost = (processorTime(world.app.pid) - start) / times
      assertSoon(cost < 500, `${what} costs ${cost} ms`)
      if (cost > dearest.cost) dearest = { what, cost }
    }
  } finally {
    isOver = true
    await watching
  }
  assert.equal(await image(world), before)
  assertSoon(slowest < 5_000, `health took ${slowest} ms`)
  return `${bodies.length} bodies; the dearest, ${dearest.what}, took ${dearest.cost} ms of processor time; health at most ${slowest.toFixed(0)} ms`
}

check('H-279', 'no body for an action stops the node, or costs more than its size', async (world) => {
  const big = 140_000
  const chain = (sign: string, length: number) =>
    many(length, (at) => [String(at), `["${sign}${(at + 1).toString(16)}"]`])
  return expectHarmless(world, [
    ['a reference to itself', plain('["$0"]')],
    ['a reference into itself', plain('["$0:0:0:0:0:0:0:0"]')],
    ['two that refer to each other', await parts({ 1: '["$2"]', 2: '["$1"]', 0: '["$1"]' })],
    ['a promise of itself', await parts({ 1: '"$@1"', 0: '["$@1"]' })],
    ['a thing that is its own then', await parts({ 1: '{"then":"$1:then"}', 0: '["$1"]' })],
    ['a long chain of references', await parts(chain('$', 1200))],
    ['a long chain of promises', await parts(chain('$@', 1200))],
    ['many references to one', await parts({ 1: `[${'1,'.repeat(20_000)}1]`, 0: `[${'"$1",'.repeat(10_000)}"$1"]` })],
    [
      'references that double',
      await parts(
        many(24, (at) => [
          String(at),
          at === 23 ? '["x"]' : `["$${(at + 1).toString(16)}","$${(at + 1).toString(16)}"]`,
        ]),
      ),
    ],
    ['a huge number', plain(`["$n${'9'.repeat(big)}"]`)],
    ['a huge date', plain(`["$D${'9'.repeat(big)}"]`)],
    ['lists in lists', plain('['.repeat(big / 2) + ']'.repeat(big / 2))],
    ['things in things', plain(`[${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}]`)],
    ['a long way into a thing', plain(`["$0${':0'.repeat(big / 2)}"]`)],
    ['a map of many', await parts({ 1: `[${'["a","b"],'.repeat(10_000)}["a","b"]]`, 0: '["$Q1"]' })],
    ['a set of many', await parts({ 1: `[${'"a",'.repeat(30_000)}"a"]`, 0: '["$W1"]' })],
    ['an iterator of many', await parts({ 1: `[${'"a",'.repeat(30_000)}"a"]`, 0: '["$i1"]' })],
    [
      'many forms of many fields',
      await parts({ ...many(400, (at) => [`_1_${at}`, 'x']), 0: `[${'"$K1",'.repeat(400)}"$K1"]` }),
    ],
    ['many streams', await parts({ 0: `[${'"$R1","$r2","$x3","$X4",'.repeat(1_000)}null]` })],
    [
      'bound arguments that are bound',
      await parts({ 1: '{"id":"x","bound":"$@2"}', 2: '["$F1","$h1"]', 0: '["$F1","$h1"]' }),
    ],
  ])
})

check('H-280', 'a thousand parts are refused, and cost nothing', async (world) => {
  const junk = (prefix: string) => many(1_000, (at) => [`${prefix}${at}`, 'x'])
  const files = await multipart([
    ...Array.from({ length: 600 }, (_, at): [string, Blob] => [`_1_${at}`, new Blob(['x'])]),
    ['0', '[null,"$K1"]'],
  ])
  const told = await expectHarmless(world, [
    ['a thousand parts', await parts({ ...junk(''), 0: '["$1"]' })],
    ['a thousand fields', await parts({ ...junk('_1_'), 0: '[null,"$K1"]' })],
    ['a thousand parts that nobody refers to', await parts({ ...junk('x'), 0: '[{}]' })],
    ['six hundred files', files],
  ])
  // Without JavaScript a form names its action in fields: here a thousand of them, none of this build.
  for (const prefix of ['$ACTION_ID_', '$ACTION_REF_', '$ACTION_1:']) {
    const sent = await parts(junk(prefix))
    const headers = { ...sent.headers, Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }
    const answer = await world.get('/signin', { method: 'POST', ...sent, headers, may500: true })
    assert.deepEqual(
      answer.setCookies.filter((line) => /session=\w/.test(line)),
      [],
    )
  }
  assert.equal((await world.get('/api/health')).status, 200)
  return told
})

check('H-286', 'nothing that is sent to an action runs as code', async (world) => {
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
  const before = await image(world)
  const { id } = everyAction()[0] ?? assert.fail()
  let sent = 0
  try {
    for (const code of codes)
      for (const fields of gadgets(code)) {
        const form = await parts(fields)
        const own = { ...form.headers, Origin: world.app.url, 'Sec-Fetch-Site': 'same-origin' }
        const ways: [path: string, headers: Record<string, string>][] = [
          ['/', { ...own, 'Next-Action': 'x' } as Record<string, string>],
          ['/signin', { ...own, 'Next-Action': id, Accept: 'text/x-component' } as Record<string, string>],
          ['/account/profile', own as Record<string, string>],
        ]
        for (const [path, headers] of ways) {
          const answer = await world.get(path, {
            method: 'POST',
            body: form.body ?? '',
            headers,
            jar: jar.copy(),
            may500: true,
          })
          const told = answer.text + answer.head
          assert.ok(!told.includes(left + right), 'it ran: its result is in the answer')
          assert.ok(answer.status >= 400 || answer.status === 200 || answer.status === 303, String(answer.status))
          sent++
        }
      }
    for (const body of [
      '["$1:constructor:constructor"]',
      '[{"then":"$1:__proto__:then"}]',
      '["$B1337"]',
      '{"then":"$0:then"}',
    ])
      assert.notEqual(
        verdict(await submit(world, 'updateProfile', null, { jar: jar.copy(), body, may500: true })),
        'ok',
      )
    await new Promise((resolve) => setTimeout(resolve, 300))
    assert.ok(!existsSync(file), 'it ran: there is a file')
    assert.equal(canary.count(), 0, 'it ran: it opened a connection')
  } finally {
    await canary.stop()
    rmSync(file, { force: true })
  }
  assert.equal((await world.get('/api/health')).status, 200)
  assert.equal(await image(world), before)
  return `${sent} requests`
})

check('H-287', 'an action that is given a function does not tell how it is written', async (world) => {
  const { jar } = await world.newSession({ role: 'admin' })
  const before = await image(world)
  const source = /=>|\bfunction\b|\basync\b|__TURBOPACK|use server|\bawait\b/
  let asked = 0
  for (const { name, id } of everyAction())
    for (const sign of ['$F1', '$h1']) {
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
        'confirmation',
        'ids',
      ]
      const zero = `[{${fields.map((field) => `"${field}":"${sign}"`).join()}}]`
      for (const body of [zero, `["${sign}"]`]) {
        const form = await parts({ 1: JSON.stringify({ id, bound: null }), 0: body })
        const answer = await submit(world, name, null, { jar: jar.copy(), ...form, may500: true })
        // The answer of the action, or how it failed; pages that come after it are no part of that.
        const said = answer.text
          .split('\n')
          .filter((line) => /^1:/.test(line))
          .join('\n')
        assert.doesNotMatch(said, source, name)
        asked++
      }
    }
  // Some of them ask for nothing, and end what the caller has: nobody else is touched.
  assert.equal((await image(world)).length, before.length)
  return `${asked} calls`
})
