import { asRequest } from '../../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { pbkdf2Sync, randomBytes, scryptSync } from 'node:crypto'
import { hash } from '@node-rs/argon2'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { signInWithPassword } from '@/core/auth/flows/sign-in'
import { verifyPassword } from '@/core/auth/password/hash'
import { roles } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { transactionAs } from '@/core/auth/transaction-as'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, passwords, users } from '@/core/db/schema'
import { Summary } from '../_components/import-report'
import { invitationEmail } from '../invitation-email'
import { can } from '../policy'
import { importRows, imports, invitations } from '../schema'
import { importFile } from './command'
import { cancelImport, endImportsOf, findImport, findProblems, pruneImports, startImport } from './imports'
import { countRoles, describeRoles } from './roles'
import { importBatch, importUsers } from './run-import'
import { stageImport } from './stage'

const password = 'a long walk by the sea'
const salt = randomBytes(16)
const toBase64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
const digest = scryptSync(password, salt, 32, { N: 2 ** 10, r: 8, p: 1 })
const scryptHash = `$scrypt$ln=10,r=8,p=1$${toBase64(salt)}$${toBase64(digest)}`

const pbkdf2Hash = `$pbkdf2-sha256$1000$${toBase64(salt)}$${toBase64(pbkdf2Sync(password, salt, 1_000, 32, 'sha256'))}`

/** With other parameters than ours. */
const argon2Hash = await hash(password, { memoryCost: 4096, timeCost: 1, parallelism: 1 })

/** Of the password, by crypt(3), with a cost of 4. */
const bcryptHash = '$2b$04$abcdefghijklmnopqrstuuqMz9ziCy2WVvnIvt/EgXOqOci.LE8uS'

/** As a cell of CSV, because the hash contains commas. */
const hashCell = `"${scryptHash}"`

const randomEmail = () => `imported-${crypto.randomUUID()}@example.com`

let admin: Actor
beforeEach(async () => {
  const [row] = await db
    .insert(users)
    .values({ email: randomEmail(), name: 'Admin', role: 'admin', emailVerifiedAt: sql`now()` })
    .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
  if (!row) throw new Error('no admin')
  admin = row
})

afterEach(() => {
  delete process.env.AUTH_SIGNUP
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

const stage = (...lines: string[]) => stageFile('email,name,role,password_hash', ...lines)
const stageVerified = (...lines: string[]) => stageFile('email,name,role,password_hash,email_verified', ...lines)

const stageFile = (...lines: string[]) =>
  stageImport(bytesOf(lines.join('\n')), {
    createdBy: admin.id,
    highestRole: admin.role,
    fileName: () => 'users.csv',
    transact: (work) => transactionAs(admin, can('users.import'), work),
  })

/** Many users with a hash, or to invite. */
const manyRows = (count: number, hash = hashCell) =>
  Array.from({ length: count }, () => `${randomEmail()},Grace,editor,${hash}`)

const emailsOf = (rows: string[]) => rows.map((row) => row.split(',')[0] ?? '')
const countUsers = (emails: string[]) => db.$count(users, inArray(users.email, emails))
const rowsOf = (importId: string) => db.$count(importRows, eq(importRows.importId, importId))
const runJob = (importId: string) => importUsers.work({ importId }, { id: 'test' })
const batch = (importId: string) => inTransaction((tx) => importBatch(tx, importId))
/** The events of one import, of any actor. */
const eventsOf = (importId: string, kind = 'users.imported') =>
  db
    .select({
      actorId: auditEvents.actorId,
      targetId: auditEvents.targetId,
      userAgent: auditEvents.userAgent,
      details: auditEvents.details,
    })
    .from(auditEvents)
    .where(and(eq(auditEvents.kind, kind), sql`${auditEvents.details}->>'import' = ${importId}`))
const endOf = async (importId: string) =>
  (await eventsOf(importId)).map(({ actorId, details }) => ({ actorId, details }))

const countJobs = async (name: string, key: string, value: string) =>
  (
    await db.execute<{ count: number }>(
      sql`select count(*)::int as count from jobs.job where name = ${name} and data->>${key}::text = ${value}`,
    )
  ).rows[0]?.count

describe('the dry run', () => {
  test('reports the problem of each row, and changes nothing', async () => {
    const email = randomEmail()
    const before = await db.$count(users)
    const importId = await stage(
      `${email},Ada,viewer,${hashCell}`,
      'ada,Ada,viewer,',
      `${email.toUpperCase()},Ada,viewer,`,
      `${admin.email},Ada,viewer,`,
      `${randomEmail()},Ada,owner,`,
      `${randomEmail()},Ada,viewer,${bcryptHash.replace('$04$', '$15$')}`,
      `${randomEmail()},Ada,viewer,a plain password`,
      `${randomEmail()},"A\tda",viewer,`,
      randomEmail(),
    )
    expect((await findProblems(importId)).map(({ row, problem }) => [row, problem])).toEqual([
      [3, 'email'],
      [4, 'duplicate'],
      [5, 'exists'],
      [6, 'role'],
      [7, 'hash'],
      [8, 'hash'],
      [9, 'name'],
    ])
    expect(await findImport(importId)).toMatchObject({ status: 'ready', total: 9, problems: 7, withHash: 1 })
    expect(await db.$count(users)).toBe(before)
    const stored = await db.select({ hash: importRows.hash }).from(importRows).where(eq(importRows.importId, importId))
    expect(stored.filter(({ hash }) => hash !== null)).toHaveLength(1)
  })

  test('finds an email again that is hundreds of rows further down', async () => {
    const rows = manyRows(1_200)
    const importId = await stage(...rows, rows[3] ?? '')
    expect(await findProblems(importId)).toMatchObject([{ row: 1_202, problem: 'duplicate' }])
  })

  test('while sign-up is closed, a row without a hash is a problem', async () => {
    process.env.AUTH_SIGNUP = 'closed'
    const importId = await stageVerified(
      `${randomEmail()},Ada,viewer,`,
      `${randomEmail()},Ada,viewer,${hashCell},false`,
    )
    expect((await findProblems(importId)).map(({ problem }) => problem)).toEqual(['closed', 'closed'])
  })

  test('of a file that cannot be read leaves nothing', async () => {
    await expect(stage(...manyRows(600), `${randomEmail()},"open`)).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(stage()).rejects.toThrow('no rows')
    expect(await db.$count(imports, eq(imports.createdBy, admin.id))).toBe(0)
  })

  test('of another file replaces the one that was not started', async () => {
    const first = await stage(randomEmail())
    const second = await stage(randomEmail())
    expect(await findImport(first)).toBeUndefined()
    expect(await findImport(second)).toMatchObject({ status: 'ready', fileName: 'users.csv' })
  })
})

describe('the import', () => {
  test('creates users who sign in with their old password, and invites the others', async () => {
    const [withHash, invited, unverified, unknown, never] = Array.from({ length: 5 }, randomEmail) as [
      string,
      string,
      string,
      string,
      string,
    ]
    const importId = await stageVerified(
      `${withHash},Grace Hopper,editor,${hashCell},2024-05-01T10:00:00Z`,
      `${invited},,editor,`,
      `${unverified},,viewer,${hashCell},false`,
      `${unknown},,viewer,${hashCell},`,
      `${never},,viewer,${hashCell},0000-00-00 00:00:00`,
    )
    await startImport(admin, importId)
    expect(await countJobs(importUsers.name, 'importId', importId)).toBe(1)
    await runJob(importId)

    const [user] = await db
      .select({ name: users.name, role: users.role, verifiedAt: users.emailVerifiedAt, hash: passwords.hash })
      .from(users)
      .innerJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.email, withHash))
    expect(user).toMatchObject({ name: 'Grace Hopper', role: 'editor', verifiedAt: expect.any(Date) })
    expect(await verifyPassword(user?.hash, password)).toEqual({ isCorrect: true, isOutdated: true })
    expect(await countUsers([invited, unverified, unknown, never])).toBe(0)
    const sent = await db
      .select({ id: invitations.id, email: invitations.email, role: invitations.role })
      .from(invitations)
      .where(inArray(invitations.email, [withHash, invited, unverified, unknown, never]))
    expect(new Map(sent.map(({ email, role }) => [email, role]))).toEqual(
      new Map([
        [invited, 'editor'],
        [unverified, 'viewer'],
        [unknown, 'viewer'],
        [never, 'viewer'],
      ]),
    )
    for (const { id } of sent) expect(await countJobs(invitationEmail.name, 'invitationId', id)).toBe(1)
    expect(await findImport(importId)).toMatchObject({ status: 'done', imported: 1, invited: 4, problems: 0 })
    expect(await endOf(importId)).toEqual([
      { actorId: admin.id, details: { import: importId, count: 1, invited: 4, skipped: 0 } },
    ])
    expect(await rowsOf(importId)).toBe(0)
  })

  test.each([
    ['argon2id', argon2Hash],
    ['bcrypt', bcryptHash],
    ['scrypt', scryptHash],
    ['PBKDF2', pbkdf2Hash],
  ])('takes over a hash of %s, which the first sign-in replaces by our own', async (_, imported) => {
    const email = randomEmail()
    const importId = await stage(`${email},Grace,viewer,"${imported}"`)
    expect(await findImport(importId)).toMatchObject({ problems: 0, withHash: 1 })
    await startImport(admin, importId)
    await runJob(importId)
    const findHash = async () => {
      const [found] = await db
        .select({ hash: passwords.hash })
        .from(passwords)
        .innerJoin(users, eq(users.id, passwords.userId))
        .where(eq(users.email, email))
      return found?.hash
    }
    expect(await findHash()).toBe(imported)
    const signIn = (typed: string) => asRequest({ 'user-agent': 'test' }, () => signInWithPassword(email, typed))
    await expect(signIn('another long walk')).rejects.toMatchObject({ code: 'invalid_credentials' })
    expect(await findHash()).toBe(imported)
    await signIn(password)
    const replaced = await findHash()
    expect(replaced).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    await signIn(password)
    expect(await findHash()).toBe(replaced)
  })

  test('skips a user who signed up since the dry run', async () => {
    const [withHash, invited] = [randomEmail(), randomEmail()]
    const importId = await stage(`${withHash},Ada,admin,${hashCell}`, `${invited},Ada,admin,`)
    await db.insert(users).values([withHash, invited].map((email) => ({ email, name: 'Someone else' })))
    await startImport(admin, importId)
    await runJob(importId)
    expect(await findImport(importId)).toMatchObject({ status: 'done', imported: 0, invited: 0, problems: 2 })
    expect((await findProblems(importId)).map(({ problem }) => problem)).toEqual(['exists', 'exists'])
    expect(await db.$count(users, and(inArray(users.email, [withHash, invited]), eq(users.role, 'admin')))).toBe(0)
  })

  test('deletes the invitation of a user whom it creates', async () => {
    const email = randomEmail()
    await db.insert(invitations).values({ email, role: 'admin' })
    const importId = await stage(`${email},Ada,viewer,${hashCell}`)
    await startImport(admin, importId)
    await runJob(importId)
    expect(await db.$count(invitations, eq(invitations.email, email))).toBe(0)
  })

  test('imports every row once, although workers die and run at the same time', async () => {
    const rows = manyRows(950)
    const importId = await stage(...rows)
    await startImport(admin, importId)
    // A worker that dies before its commit.
    await expect(
      inTransaction(async (tx) => {
        await importBatch(tx, importId)
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect(await countUsers(emailsOf(rows))).toBe(0)
    expect(await batch(importId)).toBe(false)
    expect(await countUsers(emailsOf(rows))).toBe(200)
    expect(await rowsOf(importId)).toBe(750)
    await Promise.all([runJob(importId), runJob(importId)])
    expect(await countUsers(emailsOf(rows))).toBe(950)
    expect(await findImport(importId)).toMatchObject({ status: 'done', imported: 950, invited: 0, problems: 0 })
    const details = { import: importId, count: 950, invited: 0, skipped: 0 }
    expect(await endOf(importId)).toEqual([{ actorId: admin.id, details }])
    expect(await eventsOf(importId, 'person.joined')).toHaveLength(950)
    await runJob(importId)
    expect(await endOf(importId)).toHaveLength(1)
  })

  test('stops when it is canceled, and forgets the other hashes', async () => {
    const rows = manyRows(300)
    const importId = await stage(...rows, 'not an email')
    await startImport(admin, importId)
    await batch(importId)
    expect(await cancelImport(admin, importId)).toBe(true)
    await runJob(importId)
    expect(await countUsers(emailsOf(rows))).toBe(200)
    expect(await findImport(importId)).toMatchObject({ status: 'canceled', imported: 200 })
    const counts = { import: importId, count: 200, invited: 0, skipped: 1 }
    const details = { ...counts, isCanceled: true, canceledBy: admin.id }
    expect(await endOf(importId)).toEqual([{ actorId: admin.id, details }])
    expect(await rowsOf(importId)).toBe(1)
    await expect(cancelImport(admin, importId)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('stops when its admin loses the permission', async () => {
    await db.insert(users).values({ email: randomEmail(), name: 'Another admin', role: 'admin' })
    const rows = manyRows(300)
    const importId = await stage(...rows)
    await startImport(admin, importId)
    await batch(importId)
    await db.execute(sql`update users set role = 'viewer' where id = ${admin.id}`)
    await runJob(importId)
    expect(await countUsers(emailsOf(rows))).toBe(200)
    expect(await findImport(importId)).toMatchObject({ status: 'canceled', imported: 200 })
    const details = { import: importId, count: 200, invited: 0, skipped: 0, isCanceled: true }
    expect(await endOf(importId)).toEqual([{ actorId: null, details }])
    await expect(startImport(admin, importId)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('starts once, and is discarded without an audit event before', async () => {
    const first = await stage(randomEmail())
    expect(await cancelImport(admin, first)).toBe(false)
    expect(await findImport(first)).toBeUndefined()
    expect(await eventsOf(first, 'users.import_started')).toEqual([])
    expect(await endOf(first)).toEqual([])
    const second = await stage(randomEmail())
    await startImport(admin, second)
    await expect(startImport(admin, second)).rejects.toMatchObject({ code: 'not_found' })
    expect(await eventsOf(second, 'users.import_started')).toHaveLength(1)
  })
})

describe('the audit log', () => {
  test('names who started an import and the number of users of each role, also if it never ends', async () => {
    const importId = await stage(
      `${randomEmail()},Ada,admin,${hashCell}`,
      `${randomEmail()},Ada,admin,`,
      `${randomEmail()},Ada,viewer,${hashCell}`,
      'ada,Ada,admin,',
    )
    await asRequest({ 'user-agent': 'test' }, () => startImport(admin, importId))
    const none = Object.fromEntries(roles.map((role) => [role, 0]))
    const details = { import: importId, count: 3, ...none, admin: 2, viewer: 1 }
    expect(await eventsOf(importId, 'users.import_started')).toEqual([
      { actorId: admin.id, targetId: null, userAgent: 'test', details },
    ])
    expect(await endOf(importId)).toEqual([])
  })

  test('names the admin who started an import, not the one who canceled it', async () => {
    const importId = await stage(randomEmail())
    await startImport(admin, importId)
    const [other] = await db
      .insert(users)
      .values({ email: randomEmail(), name: 'Another admin', role: 'admin' })
      .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
    if (!other) throw new Error('no admin')
    await cancelImport(other, importId)
    const [event] = await endOf(importId)
    expect(event).toMatchObject({ actorId: admin.id, details: { isCanceled: true, canceledBy: other.id } })
  })

  test('says of every user who imported them, and with which role', async () => {
    const [created, invited] = [randomEmail(), randomEmail()]
    const importId = await stage(`${created},Ada,admin,${hashCell}`, `${invited},Ada,admin,`)
    await startImport(admin, importId)
    await runJob(importId)
    const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, created))
    const details = { way: 'import', role: 'admin', import: importId }
    expect(await eventsOf(importId, 'person.joined')).toEqual([
      { actorId: admin.id, targetId: user?.id, userAgent: null, details },
    ])
  })
})

test('"Secure my account" ends a running import, and discards one that was not started', async () => {
  const running = await stage(...manyRows(1))
  await startImport(admin, running)
  const waiting = await stage(...manyRows(1))
  await inTransaction((tx) => endImportsOf(tx, admin.id))
  expect(await findImport(running)).toMatchObject({ status: 'canceled', imported: 0 })
  expect(await endOf(running)).toMatchObject([{ actorId: null, details: { isCanceled: true } }])
  expect([await findImport(waiting), await rowsOf(running)]).toEqual([undefined, 0])
})

test('the report says how many rows become admin, and does not count those that are skipped', async () => {
  const importId = await stage(
    ...manyRows(3),
    `${randomEmail()},Ada,admin,`,
    `${randomEmail()},Ada,admin,${hashCell}`,
    'ada,Ada,admin,',
  )
  const [found, roles] = [await findImport(importId), await countRoles(importId)]
  if (!found) throw new Error('no import')
  expect(describeRoles(roles)).toBe('2 admins, 3 editors')
  expect(renderToStaticMarkup(createElement(Summary, { found, roles }))).toContain('Roles: 2 admins, 3 editors')
})

test('old imports are deleted with their rows, and those that were not started after a day', async () => {
  const create = async (status: 'ready' | 'done', age: string) => {
    const [row] = await db
      .insert(imports)
      .values({ status, createdAt: sql`now() - ${age}::interval` })
      .returning({ id: imports.id })
    await db.insert(importRows).values({ importId: row?.id ?? '', row: 2, email: 'ada', name: '', problem: 'email' })
    return row?.id ?? ''
  }
  const old = [await create('ready', '25 hours'), await create('done', '8 days')]
  const fresh = [await create('ready', '23 hours'), await create('done', '6 days')]
  await pruneImports.work({}, { id: 'test' })
  for (const id of old) expect([await findImport(id), await rowsOf(id)]).toEqual([undefined, 0])
  for (const id of fresh) expect(await rowsOf(id)).toBe(1)
})

test('the command prints the report, and imports only if that is confirmed', async () => {
  const email = randomEmail()
  const text = JSON.stringify([
    { email, role: 'admin', password_hash: scryptHash },
    { email: 'ada' },
    { email: admin.email },
  ])
  const run = async (isConfirmed: boolean) => {
    const lines: string[] = []
    await importFile(
      { name: 'users.json', content: bytesOf(text) },
      { isConfirmed, print: (line) => void lines.push(line) },
    )
    return lines
  }
  const report = [
    'Row 2: ada: Not a valid email',
    `Row 3: ${admin.email}: Already a user`,
    'Rows: 3. To import: 1. To invite: 0. To skip: 2.',
    'Roles: 1 admin.',
  ]
  expect(await run(false)).toEqual([...report, 'Nothing was changed. Add --yes to import them.'])
  expect(await countUsers([email])).toBe(0)
  expect(await run(true)).toEqual([...report, 'Imported: 1. Invited: 0. Skipped: 2.'])
  expect(await countUsers([email])).toBe(1)
  expect(await db.$count(imports, eq(imports.fileName, 'users.json'))).toBe(0)
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email))
  const [joined] = await db
    .select({ actorId: auditEvents.actorId, details: auditEvents.details })
    .from(auditEvents)
    .where(eq(auditEvents.targetId, user?.id ?? ''))
  const importId = String(joined?.details?.import)
  expect(joined).toEqual({ actorId: null, details: { way: 'import', role: 'admin', import: importId } })
  expect(await eventsOf(importId, 'users.import_started')).toMatchObject([
    { actorId: null, details: { count: 1, admin: 1 } },
  ])
  expect(await endOf(importId)).toMatchObject([{ actorId: null, details: { count: 1, skipped: 2 } }])
})
