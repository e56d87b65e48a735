// A place of its own for what would take the last admin away from everybody else.
import { createHash } from 'node:crypto'
import pg from 'pg'
import type { RunningServer } from '../support/server.ts'
import { Jar } from './client.ts'
import { type Person, someToken, type World } from './world.ts'

export type Member = Person & { jar: Jar }

export interface Apart {
  nodes: [RunningServer, RunningServer]
  pool: pg.Pool
  databaseUrl: string
  /** Somebody with that role and a session, put there directly. */
  add(role: string): Promise<Member>
  countAdmins(): Promise<number>
}

const places = new WeakMap<World, Promise<Apart>>()

/** Two nodes on a database with nobody in it, for as long as the group lasts. */
export function apart(world: World): Promise<Apart> {
  const known = places.get(world)
  if (known) return known
  const made = make(world)
  places.set(world, made)
  return made
}

async function make(world: World): Promise<Apart> {
  world.atEndOfGroup(async () => void places.delete(world))
  const DATABASE_URL = await world.emptyDatabase()
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 })
  // Its database is dropped while a connection may still be there.
  pool.on('error', () => {})
  world.atEndOfGroup(() => pool.end())
  const env = { DATABASE_URL, WORKER: 'apart' }
  const nodes: Apart['nodes'] = [await world.node('apart, one', env), await world.node('apart, two', env)]
  return {
    nodes,
    pool,
    databaseUrl: DATABASE_URL,
    add: async (role) => {
      const token = someToken()
      const email = `${role}-${crypto.randomUUID()}@example.com`
      const { rows } = await pool.query(
        `with made as (
           insert into users (email, name, role, email_verified_at) values ($1, 'Somebody', $2, now()) returning id
         ), session as (insert into sessions (user_id, token_hash) select id, $3 from made)
         select id from made`,
        [email, role, createHash('sha256').update(token).digest()],
      )
      return { id: rows[0].id, email, jar: new Jar({ 'plinth.session': token }) }
    },
    countAdmins: async () => {
      const { rows } = await pool.query(`select count(*)::int from users where role = 'admin' and suspended_at is null`)
      return rows[0].count
    },
  }
}
