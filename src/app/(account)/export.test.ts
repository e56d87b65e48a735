import type { QueryResultRow } from 'pg'
import { appSlug } from '@/brand'
import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { and, eq, sql } from 'drizzle-orm'
import { unzipSync } from 'fflate'
import { beforeAll, describe, expect, test } from 'vitest'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { pool as appPool, db } from '@/core/db/client'
import { auditEvents, sessions, users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { modules } from '@/modules'
import { GET } from './api/account/export/route'
import { createToken } from './tokens'

/** Tables that are left out of the export, and why. */
const reasons = {
  account_recovery_codes: 'only hashes of codes',
  admin_terms: 'a search index of the name and the email',
  content_previews: 'only hashes of link tokens, which expire after a week',
  email_code_failures: 'only a number of wrong codes',
  email_code_requests: 'only the email itself and hashes of a token and a link, which expire after minutes',
  tokens: 'only hashes of email tokens, which expire after days',
}

/** For rows of any scope. */
const pool = {
  // biome-ignore lint/suspicious/noExplicitAny: as in pg
  query: <Row extends QueryResultRow = any>(text: string, values: unknown[] = []) =>
    acrossScopes('a test', () => appPool.query<Row>(text, values)),
}

/** A value that was inserted into a column, as it would appear in the export. */
interface Trace {
  table: string
  column: string
  text: string
  isSecret: boolean
}

/** Every table with a foreign key to `users`, read from the database, so that tables added later are covered. */
async function findTables(): Promise<{ name: string; owner: string }[]> {
  const { rows } = await pool.query(
    `select conrelid::regclass::text as name, attname as owner
     from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype = 'f' and confrelid = 'users'::regclass
     -- Tables that others refer to come first.
     order by (select count(*) from pg_constraint as other where other.contype = 'f' and other.conrelid = pg_constraint.conrelid
       and other.confrelid not in ('users'::regclass, 'scopes'::regclass)), 1`,
  )
  return rows
}

let timestampCount = 0
const nextTimestamp = () => new Date(Date.UTC(2031, 0, 1, 0, timestampCount++)).toISOString()
let ipCount = 0
const nextIp = () => `203.0.113.${++ipCount}`

/** A recognizable value for a column of that type. Undefined leaves the column at its default. */
function valueFor(type: string, text: string): unknown {
  if (type === 'text') return text.endsWith('-role') ? 'viewer' : text
  if (type === 'bytea') return Buffer.from(text)
  if (type === 'timestamp with time zone') return nextTimestamp()
  if (type === 'inet') return nextIp()
  if (type === 'ARRAY') return [text]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'bigint') return 1
}

/** Values for foreign keys to other tables: the newest row there, which belongs to the same user. */
async function findForeignKeyValues(table: string, owner: string): Promise<Map<string, unknown>> {
  const { rows } = await pool.query<{ name: string; table: string; column: string }>(
    `select a.attname as name, confrelid::regclass::text as table, f.attname as column
     from pg_constraint join pg_attribute a on a.attrelid = conrelid and a.attnum = conkey[1]
       join pg_attribute f on f.attrelid = confrelid and f.attnum = confkey[1]
     where contype = 'f' and conrelid = $1::regclass and a.attname <> $2
     order by confrelid = 'scopes'::regclass desc`,
    [table, owner],
  )
  const found = new Map<string, unknown>()
  for (const other of rows) {
    // What is a scope itself, such as an organization, needs a new one.
    if (other.table === 'scopes' && other.name === 'id') await pool.query('insert into scopes default values')
    const { rows: some } = await pool.query(
      `select ${other.column} as key from ${other.table} order by ctid desc limit 1`,
    )
    found.set(other.name, some[0]?.key)
  }
  return found
}

/** Inserts one row for the user, with a recognizable value in every column. */
async function fill(table: string, owner: string, userId: string, label: string): Promise<Trace[]> {
  const { rows: columns } = await pool.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and column_name <> $2`,
    [table, owner],
  )
  const foreignKeyValues = await findForeignKeyValues(table, owner)
  const filled = columns
    .map(({ name, type }) => ({
      name,
      type,
      value: foreignKeyValues.get(name) ?? valueFor(type, `${label}-${table}-${name}`),
    }))
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

async function newUser(label: string) {
  const email = `${label}@example.com`
  const [user] = await db.insert(users).values({ email, name: label }).returning({ id: users.id })
  const id = user?.id ?? ''
  const traces: Trace[] = [{ table: 'users', column: 'email', text: email, isSecret: false }]
  for (const { name, owner } of await findTables()) traces.push(...(await fill(name, owner, id, label)))
  const token = newToken()
  await db.insert(sessions).values({ userId: id, tokenHash: hashToken(token) })
  return { id, token, traces }
}
type TestUser = Awaited<ReturnType<typeof newUser>>

function requestExport(headers: Record<string, string>): Promise<Response> {
  const request = new Request('http://localhost:3000/api/account/export', { headers })
  return asRequest(headers, () => GET(request, { params: Promise.resolve({}) }))
}
const requestAs = ({ token }: Pick<TestUser, 'token'>) =>
  requestExport({ cookie: `${appSlug}.session=${token}`, 'user-agent': 'test' })

/** Reads the whole body: the export is streamed, and the user's next one is rejected until this one ends. */
const readExport = async (user: Pick<TestUser, 'token'>) => {
  const response = await requestAs(user)
  await response.arrayBuffer()
  return response.status
}

const statusAndCode = async (response: Response) => [response.status, (await response.json()).code]

let ada: TestUser
let grace: TestUser
let response: Response
let files: Record<string, Uint8Array>
/** The content of every file, followed by the same without whitespace. */
let all: string
beforeAll(async () => {
  ada = await newUser('ada')
  grace = await newUser('grace')
  await db.insert(auditEvents).values([
    { kind: 'thing.done', actorId: ada.id, targetId: ada.id, ip: '198.51.100.1', userAgent: 'of ada' },
    { kind: 'thing.suffered', targetId: ada.id, details: { reason: 'of nobody' } },
    { kind: 'thing.ordered', actorId: grace.id, targetId: ada.id, ip: '198.51.100.2', userAgent: 'of grace' },
    { kind: 'thing.elsewhere', actorId: grace.id, targetId: grace.id, ip: '198.51.100.3' },
  ])
  response = await requestAs(ada)
  files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const text = Object.values(files)
    .map((file) => Buffer.from(file).toString('latin1'))
    .join('\n')
  all = text + text.replaceAll(/\s/g, '')
})

const json = (name: string) => JSON.parse(Buffer.from(files[name] ?? '').toString('utf8'))

describe('an export', () => {
  test('is an attachment, and no cache stores it', () => {
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/zip')
    const today = new Date().toISOString().slice(0, 10)
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${appSlug}-export-${today}.zip"`)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('has data of every table with a foreign key to users, except those with a reason', async () => {
    const tables = ['users', ...(await findTables()).map(({ name }) => name)]
    const untraced = tables.filter(
      (table) => !ada.traces.some((trace) => trace.table === table && all.includes(trace.text)),
    )
    expect(untraced.filter((table) => !(table in reasons))).toEqual([])
    expect(untraced).toContain('tokens')
  })

  test('has no hash, secret or key, in any encoding', () => {
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
      for (const encoded of [
        text,
        [...bytes].join(),
        ...(['hex', 'base64', 'base64url'] as const).map((encoding) => bytes.toString(encoding)),
      ])
        expect(all.includes(encoded), table).toBe(false)
    }
    expect(all).not.toMatch(/hash|secret|publicKey|\$argon2/i)
  })

  test('has no data of other users', () => {
    for (const { text, table, column } of grace.traces) expect(all.includes(text), `${table}.${column}`).toBe(false)
    expect(all).not.toMatch(/grace/i)
    expect(all).not.toContain(grace.id)
  })

  test('lists audit events, with IP and user agent only for those that the user caused', () => {
    const events = json('activity.json').filter(({ kind }: { kind: string }) => kind.startsWith('thing.'))
    expect(events).toMatchObject([
      { kind: 'thing.ordered', ip: null, userAgent: null },
      { kind: 'thing.suffered', details: { reason: 'of nobody' } },
      { kind: 'thing.done', ip: '198.51.100.1', userAgent: 'of ada', details: null },
    ])
  })

  test('has a folder for each module, and pictures as binary files', () => {
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining([
        'account/api-tokens.json',
        'account/email-change.json',
        'account/passkeys.json',
        'account/picture.webp',
        'account/second-factor.json',
        'activity.json',
        ...modules.filter(({ exportUserData }) => exportUserData).map(({ name }) => expect.stringMatching(`^${name}/`)),
        'identities.json',
        'profile.json',
        'sessions.json',
      ]),
    )
    expect(Buffer.from(files['account/picture.webp'] ?? '').toString()).toBe('ada-account_avatars-data')
    expect(json('account/second-factor.json')).toEqual({ isOn: true, since: expect.stringMatching(/^2031-/) })
    expect(json('profile.json')).toMatchObject({ id: ada.id, email: 'ada@example.com', role: 'viewer' })
  })

  test('is recorded in the audit log, without its content', async () => {
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

  test('works for a user with nothing but an account', async () => {
    const [user] = await db.insert(users).values({ email: 'new@example.com', name: 'New' }).returning({ id: users.id })
    const token = newToken()
    await db.insert(sessions).values({ userId: user?.id ?? '', tokenHash: hashToken(token) })
    const found = unzipSync(new Uint8Array(await (await requestAs({ token })).arrayBuffer()))
    const read = (name: string) => JSON.parse(Buffer.from(found[name] ?? '').toString())
    expect(read('identities.json')).toEqual([])
    expect(read('account/email-change.json')).toBeNull()
    expect(read('account/second-factor.json')).toEqual({ isOn: false, since: null })
    expect(found['account/picture.webp']).toBeUndefined()
  })
})

describe('an export is rejected', () => {
  test('for unauthenticated callers and for API tokens', async () => {
    expect(await statusAndCode(await requestExport({}))).toEqual([401, 'unauthenticated'])
    const token = await asRequest({}, () => createToken(grace.id, { name: 'Script', role: 'viewer', days: 7 }))
    expect(await statusAndCode(await requestExport({ authorization: `Bearer ${token}` }))).toEqual([
      401,
      'unauthenticated',
    ])
  })

  test('without reauthentication within the last hour', async () => {
    const setAge = (age: string) =>
      db
        .update(sessions)
        .set({ reauthenticatedAt: sql`now() - ${age}::interval` })
        .where(eq(sessions.userId, grace.id))
    await setAge('61 minutes')
    expect(await statusAndCode(await requestAs(grace))).toEqual([403, 'reauth_required'])
    await setAge('59 minutes')
    expect(await readExport(grace)).toBe(200)
  })

  test('after ten in an hour; other users are not affected', async () => {
    const user = await newUser('edsger')
    const statuses: number[] = []
    for (let round = 0; round < 10; round++) statuses.push(await readExport(user))
    expect(statuses).toEqual(Array(10).fill(200))
    const last = await requestAs(user)
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(60)
    expect(await statusAndCode(last)).toEqual([429, 'rate_limited'])
    expect(await readExport(ada)).toBe(200)
  })

  test('while another export of the same user is streaming, until that one is read or canceled', async () => {
    const user = await newUser('barbara')
    const first = await requestAs(user)
    const second = await requestAs(user)
    expect(second.headers.get('retry-after')).toBe('5')
    expect(await statusAndCode(second)).toEqual([429, 'rate_limited'])
    expect(await readExport(ada)).toBe(200)
    await first.body?.cancel()
    expect(await readExport(user)).toBe(200)
    expect(await readExport(user)).toBe(200)
    const [{ count } = { count: 0 }] = await db
      .select({ count: sql<number>`count(*)::int` })
      .from(auditEvents)
      .where(and(eq(auditEvents.kind, 'person.exported'), eq(auditEvents.actorId, user.id)))
    expect(count).toBe(3)
  })
})
