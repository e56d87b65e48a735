// An isolated database and two nodes, for checks that would delete or demote the last admin of the shared database.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { appSlug } from '../../../../src/brand.ts'
import { Jar } from '../../../app/support/http-client.ts'
import type { RunningServer } from '../../../app/support/server.ts'
import { randomToken, type TestUser, type World } from '../../../app/support/test-world.ts'

export type SignedInUser = TestUser & { jar: Jar }

export interface IsolatedApp {
  nodes: [RunningServer, RunningServer]
  pool: pg.Pool
  databaseUrl: string
  /** Inserts a user with that role and a session directly into the database. */
  addUser(role: string): Promise<SignedInUser>
  countAdmins(): Promise<number>
}

const isolatedApps = new WeakMap<World, Promise<IsolatedApp>>()

/** Two nodes on a database without users, shared by the checks of one group. */
export function isolatedApp(world: World): Promise<IsolatedApp> {
  const known = isolatedApps.get(world)
  if (known) return known
  const app = startIsolatedApp(world)
  isolatedApps.set(world, app)
  return app
}

async function startIsolatedApp(world: World): Promise<IsolatedApp> {
  world.atEndOfGroup(async () => void isolatedApps.delete(world))
  const DATABASE_URL = await world.migratedDatabase()
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 })
  // The database is dropped while connections may still be open.
  pool.on('error', () => {})
  world.atEndOfGroup(() => pool.end())
  const env = { DATABASE_URL, WORKER: 'apart' }
  const nodes: IsolatedApp['nodes'] = [await world.node('apart, one', env), await world.node('apart, two', env)]
  return {
    nodes,
    pool,
    databaseUrl: DATABASE_URL,
    addUser: async (role) => {
      const token = randomToken()
      const email = `${role}-${crypto.randomUUID()}@example.com`
      const { rows } = await pool.query(
        `with made as (
           insert into users (email, name, role, email_verified_at) values ($1, 'Test User', $2, now()) returning id
         ), session as (insert into sessions (user_id, token_hash) select id, $3 from made)
         select id from made`,
        [email, role, createHash('sha256').update(token).digest()],
      )
      return { id: rows[0].id, email, jar: new Jar({ [`${appSlug}.session`]: token }) }
    },
    countAdmins: async () => {
      const { rows } = await pool.query(`select count(*)::int from users where role = 'admin' and suspended_at is null`)
      return rows[0].count
    },
  }
}
