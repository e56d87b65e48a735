import { sql } from 'drizzle-orm'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { db, pool } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { buildScopeWall, findWallProblem, scopedRole } from '@/core/db/scope-wall'
import { inScope, inScopeAsApp, readInScope } from '@/core/db/scoped'
import { acrossScopes } from '@/core/db/tenant-check'
import { tenantTables } from '@/tenant-tables'
import { createDatabase, dropDatabase } from '../../../tests/app/support/database'
import { members } from './schema'
import { actIn, addMember, newOrganization, newUser, type TestOrganization, type TestUser } from './test-organizations'

let ada: TestUser
let mallory: TestUser
let acme: TestOrganization
let other: TestOrganization
beforeAll(async () => {
  ;[ada, mallory] = await Promise.all([newUser(), newUser('admin')])
  ;[acme, other] = [await newOrganization(ada), await newOrganization(mallory)]
  await addMember(acme, await newUser(), 'viewer')
})
const asAda = () => actIn(ada, acme, 'admin')

/** Depends on row-level security alone: the comment only satisfies the check that the column is named. */
const allMembers = sql`select user_id from organizations_members /* scope_id */`
const count = (result: { rows: unknown[] }) => result.rows.length

describe('row-level security', () => {
  test('shows a member the rows of the scope, without any condition in the query', async () => {
    const [rows] = await readInScope(asAda(), (source) => [source.execute(allMembers)])
    expect(count(rows)).toBe(2)
    expect(await inScope(asAda(), async (tx) => count(await tx.execute(allMembers)))).toBe(2)
    expect(await inScopeAsApp(acme.id, async (tx) => count(await tx.execute(allMembers)))).toBe(2)
    expect(await acrossScopes('a test', async () => count(await db.execute(allMembers)))).toBe(3)
  })

  test('shows nothing to others, although the code believes that they are members', async () => {
    const seen: number[] = []
    const read = inScope(actIn(mallory, acme, 'admin'), async (tx) => {
      seen.push(count(await tx.execute(allMembers)))
    })
    await expect(read).rejects.toMatchObject({ code: 'not_found' })
    expect(seen).toEqual([0])
    const list = readInScope(actIn(mallory, acme, 'admin'), (source) => [source.execute(allMembers)])
    await expect(list).rejects.toMatchObject({ code: 'not_found' })
  })

  test('lets nobody write rows of another scope', async () => {
    const insert = inScope(asAda(), (tx) =>
      tx.insert(members).values({ scopeId: other.id, userId: ada.id, role: 'admin' }),
    )
    await expect(insert).rejects.toMatchObject({ cause: { code: '42501' } })
    const changed = await inScope(asAda(), (tx) =>
      tx.execute(sql`update organizations_members set role = 'viewer' where scope_id = ${other.id}`),
    )
    expect(changed.rowCount).toBe(0)
    const moved = inScope(asAda(), (tx) =>
      tx.execute(sql`update organizations_members set scope_id = ${other.id} where role = 'viewer'`),
    )
    await expect(moved).rejects.toMatchObject({ cause: { code: '42501' } })
  })

  test('leaves neither role nor scope behind on a connection, whatever happened on it', async () => {
    const state = sql`select current_user = session_user as is_own, coalesce(current_setting('app.scope_id', true), '') as scope`
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const actor = index % 3 === 0 ? actIn(mallory, acme, 'admin') : asAda()
        const work = inScope(actor, async (tx) => {
          if (index % 5 === 0) await tx.execute(sql`select 1 / 0`)
        })
        await work.catch(() => {})
        expect((await db.execute(state)).rows).toEqual([{ is_own: true, scope: '' }])
      }),
    )
  })

  test('covers exactly the tenant tables, and no view goes around it', async () => {
    const { rows } = await pool.query(
      `select polrelid::regclass::text as name from pg_policy where polname = 'scope_wall' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(tenantTables)
    const views = await pool.query(
      `select relname from pg_class where relkind in ('v', 'm') and relnamespace = 'public'::regnamespace`,
    )
    expect(views.rows).toEqual([])
  })

  test('is missed at startup', async () => {
    expect(await findWallProblem(pool, tenantTables)).toBeNull()
    expect(await findWallProblem(pool, [...tenantTables, 'of_a_pending_migration'])).toBeNull()
    expect(await findWallProblem(pool, [...tenantTables, 'users'])).toBe('row-level security is missing on users')
  })
})

describe('a statement about a tenant table', () => {
  test('is rejected outside a scope', async () => {
    const message = /names organizations_members outside a scope/
    const thrown = async (work: () => Promise<unknown>) => {
      const error = await work().then(
        () => undefined,
        (caught: Error) => caught,
      )
      return String((error?.cause as Error | undefined)?.message ?? error?.message)
    }
    expect(await thrown(async () => await db.select({ id: members.userId }).from(members))).toMatch(message)
    expect(await thrown(() => inTransaction((tx) => tx.execute(allMembers)))).toMatch(message)
    // Another connection, on which no scope was entered.
    expect(await thrown(() => inScope(asAda(), () => inTransaction((tx) => tx.execute(allMembers))))).toMatch(message)
    expect(await thrown(() => inScope(asAda(), async () => db.execute(allMembers)))).toMatch(message)
  })

  test('is rejected in a scope if it does not name the column', async () => {
    const work = inScope(asAda(), (tx) => tx.execute(sql`select user_id from organizations_members`))
    const error = await work.catch((caught) => caught)
    expect(String(error.cause?.message ?? error.message)).toMatch(/without its column scope_id/)
  })
})

describe.each(['', 'bypassrls'])('a login that owns the tables and is no superuser %s', (attribute) => {
  const login = `plinth_test_${crypto.randomUUID().slice(0, 8)}`
  let database = { url: '', name: '' }
  const asLogin = async <T>(work: (client: pg.Client) => Promise<T>) => {
    const url = new URL(database.url)
    url.username = login
    url.password = 'only-for-tests'
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
  beforeAll(async () => {
    await pool.query(`create role ${login} login password 'only-for-tests' ${attribute}`)
    database = await createDatabase(inject('server'))
    await pool.query(`alter database ${database.name} owner to ${login}`)
    await asLogin((client) =>
      client.query(`create schema own authorization ${login}; set search_path = own;
        create table scopes (id uuid primary key);
        create function scope_id() returns uuid language sql stable as
          $$ select nullif(current_setting('app.scope_id', true), '')::uuid $$;
        create table things (id int, scope_id uuid references scopes (id));
        insert into scopes values ('${acme.id}'), ('${other.id}');
        insert into things values (1, '${acme.id}'), (2, '${other.id}')`),
    )
  })
  afterAll(async () => {
    await dropDatabase(inject('server'), database.name)
    await pool.query(`drop owned by ${login}; drop role ${login}`)
  })

  test('cannot switch to the role before it was granted, which startup tells; then sees only the scope', async () => {
    const path = `set search_path = own`
    await asLogin(async (client) => {
      await client.query(path)
      expect(await findWallProblem(client, [])).toMatch(`cannot switch to the role ${scopedRole}`)
    })
    await pool.query(`grant ${scopedRole} to ${login}`)
    await asLogin(async (client) => {
      await client.query(path)
      expect(await buildScopeWall(client, ['own'])).toEqual(['things'])
      expect(await buildScopeWall(client, ['own'])).toEqual([])
      expect(await findWallProblem(client, ['things'])).toBeNull()
      expect(count(await client.query('select id from things'))).toBe(2)
      await client.query('begin')
      await client.query(`select set_config('role', $1, true), set_config('app.scope_id', $2, true)`, [
        scopedRole,
        acme.id,
      ])
      expect((await client.query('select id from things')).rows).toEqual([{ id: 1 }])
      await client.query('rollback')
    })
  })
})
