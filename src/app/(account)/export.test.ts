import { asRequest } from '../../../tests/support/next-headers'

// The line above comes first: it stands in for Next before anything else asks for headers.

import { eq, sql } from 'drizzle-orm'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashToken, newToken } from '@/core/auth/token'
import { db, pool } from '@/core/db/client'
import { auditEvents, sessions, users } from '@/core/db/schema'
import { modules } from '@/modules'
import { GET } from './api/account/export/route'
import { createToken } from './tokens'

/** Tables of which nothing is in the export, and why. */
const reasons = {
  account_recovery_codes: 'nothing but hashes of codes',
  admin_terms: 'the name and the address once more, to search by',
  content_previews: 'nothing but hashes of what is in links, which live for a week',
  tokens: 'nothing but hashes of what is in links, and links live for days',
}

/** A value that was put into a column, as it would look in the export. */
interface Trace {
  table: string
  column: string
  text: string
  isSecret: boolean
}

/** From the database itself, so that a table that is added later is not forgotten. */
async function findTables(): Promise<{ name: string; owner: string }[]> {
  const { rows } = await pool.query(
    `select conrelid::regclass::text as name, attname as owner
     from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and confrelid = 'users'::regclass order by 1`,
  )
  return rows
}

let moments = 0
const nextMoment = () => new Date(Date.UTC(2031, 0, 1, 0, moments++)).toISOString()
let addresses = 0
const nextAddress = () => `203.0.113.${++addresses}`

/** Something that can be found again, for a column of that type. Undefined leaves the column to its default. */
function valueFor(type: string, text: string): unknown {
  if (type === 'text') return text.endsWith('-role') ? 'viewer' : text
  if (type === 'bytea') return Buffer.from(text)
  if (type === 'timestamp with time zone') return nextMoment()
  if (type === 'inet') return nextAddress()
  if (type === 'ARRAY') return [text]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'bigint') return 1
}

/** For columns that refer to another table: its newest row, which is that person's. */
async function findOthers(table: string, owner: string): Promise<Map<string, unknown>> {
  const { rows } = await pool.query<{ name: string; table: string; column: string }>(
    `select a.attname as name, confrelid::regclass::text as table, f.attname as column
     from pg_constraint join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
       join pg_attribute f on f.attrelid = confrelid and f.attnum = confkey[1]
     where contype = 'f' and conrelid = $1::regclass and a.attname <> $2`,
    [table, owner],
  )
  const found = new Map<string, unknown>()
  for (const other of rows) {
    const { rows: some } = await pool.query(
      `select ${other.column} as key from ${other.table} order by ctid desc limit 1`,
    )
    found.set(other.name, some[0]?.key)
  }
  return found
}

/** One row of that person, with something to be found again in every column. */
async function fill(table: string, owner: string, userId: string, who: string): Promise<Trace[]> {
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and column_name <> $2`,
    [table, owner],
  )
  const others = await findOthers(table, owner)
  const filled = columns
    .map(({ name, type }) => ({ name, type, value: others.get(name) ?? valueFor(type, `${who}-${table}-${name}`) }))
    .filter(({ value }) => value !== undefined)
  await pool.query(
    `insert into ${table} (${[owner, ...filled.map(({ name }) => name)]})
     values ($1, ${filled.map((_, index) => `$${index + 2}`)})`,
    [userId, ...filled.map(({ value }) => value)],
  )
  return filled
    .filter(({ value }) => ![1, true, 'viewer'].includes(value as never))
    .map(({ name, type, value }) => ({
      table,
      column: name,
      text: String(value),
      isSecret: /hash|secret|key/.test(name) || (type === 'bytea' && `${table}.${name}` !== 'account_avatars.data'),
    }))
}

async function newPerson(who: string) {
  const email = `${who}@example.com`
  const [person] = await db.insert(users).values({ email, name: who }).returning({ id: users.id })
  const id = person?.id ?? ''
  const traces: Trace[] = [{ table: 'users', column: 'email', text: email, isSecret: false }]
  for (const { name, owner } of await findTables()) traces.push(...(await fill(name, owner, id, who)))
  const token = newToken()
  await db.insert(sessions).values({ userId: id, tokenHash: hashToken(token) })
  return { id, token, traces }
}
type Person = Awaited<ReturnType<typeof newPerson>>

function ask(headers: Record<string, string>): Promise<Response> {
  const request = new Request('http://localhost:3000/api/account/export', { headers })
  return asRequest(headers, () => GET(request, { params: Promise.resolve({}) }))
}
const withCookie = ({ token }: Pick<Person, 'token'>) =>
  ask({ cookie: `plinth.session=${token}`, 'user-agent': 'test' })

const codes = async (response: Response) => [response.status, (await response.json()).code]

let ada: Person
let grace: Person
let answer: Response
let files: Record<string, Uint8Array>
/** Every file, byte for byte, and once more without white space. */
let all: string
beforeAll(async () => {
  ada = await newPerson('ada')
  grace = await newPerson('grace')
  await db.insert(auditEvents).values([
    { kind: 'thing.done', actorId: ada.id, targetId: ada.id, ip: '198.51.100.1', userAgent: 'of ada' },
    { kind: 'thing.suffered', targetId: ada.id, details: { reason: 'of nobody' } },
    { kind: 'thing.ordered', actorId: grace.id, targetId: ada.id, ip: '198.51.100.2', userAgent: 'of grace' },
    { kind: 'thing.elsewhere', actorId: grace.id, targetId: grace.id, ip: '198.51.100.3' },
  ])
  answer = await withCookie(ada)
  files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
  const text = Object.values(files)
    .map((file) => Buffer.from(file).toString('latin1'))
    .join('\n')
  all = text + text.replaceAll(/\s/g, '')
})

const json = (name: string) => JSON.parse(Buffer.from(files[name] ?? '').toString('utf8'))

describe('an export', () => {
  test('is a file to keep, which nobody else stores', () => {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    const today = new Date().toISOString().slice(0, 10)
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="plinth-export-${today}.zip"`)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })

  test('holds something of every table that knows the person, but for those with a reason', async () => {
    const tables = ['users', ...(await findTables()).map(({ name }) => name)]
    const untraced = tables.filter(
      (table) => !ada.traces.some((trace) => trace.table === table && all.includes(trace.text)),
    )
    expect(untraced.filter((table) => !(table in reasons))).toEqual([])
    expect(untraced).toContain('tokens')
  })

  test('holds no hash, no secret and no key, however written', () => {
    const secrets = ada.traces.filter(({ isSecret }) => isSecret)
    expect(secrets.map(({ table, column }) => `${table}.${column}`)).toEqual(
      expect.arrayContaining([
        'account_api_tokens.hash',
        'account_passkeys.public_key',
        'account_recovery_codes.hash',
        'account_totp.secret',
        'passwords.hash',
        'sessions.token_hash',
        'tokens.hash',
      ]),
    )
    const session = hashToken(ada.token)
    for (const { text, table } of [...secrets, { text: session.toString('latin1'), table: 'the session' }]) {
      const bytes = Buffer.from(text, 'latin1')
      for (const written of [
        text,
        [...bytes].join(),
        ...(['hex', 'base64', 'base64url'] as const).map((way) => bytes.toString(way)),
      ])
        expect(all.includes(written), table).toBe(false)
    }
    expect(all).not.toMatch(/hash|secret|publicKey|\$argon2/i)
  })

  test('holds nothing of anybody else', () => {
    for (const { text, table, column } of grace.traces) expect(all.includes(text), `${table}.${column}`).toBe(false)
    expect(all).not.toMatch(/grace/i)
    expect(all).not.toContain(grace.id)
  })

  test('tells what happened, and from where unless it was somebody else', () => {
    const events = json('activity.json').filter(({ kind }: { kind: string }) => kind.startsWith('thing.'))
    expect(events).toMatchObject([
      { kind: 'thing.ordered', ip: null, userAgent: null },
      { kind: 'thing.suffered', details: { reason: 'of nobody' } },
      { kind: 'thing.done', ip: '198.51.100.1', userAgent: 'of ada', details: null },
    ])
  })

  test('has a folder for each module, and pictures as they are', () => {
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'account/api-tokens.json',
        'account/email-change.json',
        'account/passkeys.json',
        'account/picture.webp',
        'account/second-factor.json',
        'activity.json',
        ...modules.filter(({ gather }) => gather).map(({ name }) => expect.stringMatching(`^${name}/`)),
        'identities.json',
        'profile.json',
        'sessions.json',
      ]),
    )
    expect(Buffer.from(files['account/picture.webp'] ?? '').toString()).toBe('ada-account_avatars-data')
    expect(json('account/second-factor.json')).toEqual({ isOn: true, since: expect.stringMatching(/^2031-/) })
    expect(json('profile.json')).toMatchObject({ id: ada.id, email: 'ada@example.com', role: 'viewer' })
  })

  test('is written down, without what was in it', async () => {
    const events = await db
      .select({
        actorId: auditEvents.actorId,
        targetId: auditEvents.targetId,
        userAgent: auditEvents.userAgent,
        details: auditEvents.details,
      })
      .from(auditEvents)
      .where(eq(auditEvents.kind, 'person.exported'))
    expect(events[0]).toEqual({ actorId: ada.id, targetId: ada.id, userAgent: 'test', details: null })
  })

  test('of somebody who has nothing but an account is no error', async () => {
    const [person] = await db
      .insert(users)
      .values({ email: 'new@example.com', name: 'New' })
      .returning({ id: users.id })
    const token = newToken()
    await db.insert(sessions).values({ userId: person?.id ?? '', tokenHash: hashToken(token) })
    const found = unzipSync(new Uint8Array(await (await withCookie({ token })).arrayBuffer()))
    const read = (name: string) => JSON.parse(Buffer.from(found[name] ?? '').toString())
    expect(read('identities.json')).toEqual([])
    expect(read('account/email-change.json')).toBeNull()
    expect(read('account/second-factor.json')).toEqual({ isOn: false, since: null })
    expect(found['account/picture.webp']).toBeUndefined()
  })
})

describe('an export is refused', () => {
  test('to strangers and to programs with an API token', async () => {
    expect(await codes(await ask({}))).toEqual([401, 'unauthenticated'])
    const token = await asRequest({}, () => createToken(grace.id, { name: 'Script', role: 'viewer', days: 7 }))
    expect(await codes(await ask({ authorization: `Bearer ${token}` }))).toEqual([401, 'unauthenticated'])
  })

  test('to whoever has not shown within the hour that it is them', async () => {
    const setAge = (age: string) =>
      db
        .update(sessions)
        .set({ confirmedAt: sql`now() - ${age}::interval` })
        .where(eq(sessions.userId, grace.id))
    await setAge('61 minutes')
    expect(await codes(await withCookie(grace))).toEqual([403, 'reauth_required'])
    await setAge('59 minutes')
    expect((await withCookie(grace)).status).toBe(200)
  })

  test('after ten in an hour; others are not concerned', async () => {
    const person = await newPerson('edsger')
    const statuses: number[] = []
    for (let round = 0; round < 10; round++) statuses.push((await withCookie(person)).status)
    expect(statuses).toEqual(Array(10).fill(200))
    const last = await withCookie(person)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(await codes(last)).toEqual([429, 'rate_limited'])
    expect((await withCookie(ada)).status).toBe(200)
  })
})
