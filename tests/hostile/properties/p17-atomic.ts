import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { freePort } from '../../../scripts/ports.ts'
import { verdict } from '../actions.ts'
import { type Apart, apart, type Member } from '../apart.ts'
import { checkModule } from '../checks.ts'
import { password, someToken, submit, type World } from '../world.ts'
import { holds } from './property.ts'

/** A way to the database that breaks at the n-th thing that the app says: just before it, or just after. */
async function breakableWay(world: World, url: URL) {
  const port = await freePort()
  const sockets = new Set<Socket>()
  const cut = { at: 0, isAfter: false }
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((app) => {
    const database = connect(Number(url.port) || 5432, url.hostname)
    for (const socket of [app, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        app.destroy()
        database.destroy()
      })
    }
    database.pipe(app)
    app.on('data', (said) => {
      const isNow = cut.at > 0 && --cut.at === 0
      if (isNow && !cut.isAfter) return breakAll()
      database.write(said, () => isNow && breakAll())
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  world.atEndOfGroup(async () => {
    breakAll()
    server.close()
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String(port)
  return { cut, url: through.href }
}

interface Deed {
  name: string
  input: object
  by: Member
  /** What is true once it is done; each asked about `$1`. All of them, or none. */
  facts: string[]
}

const told = (kind: string) => `exists (select 1 from audit_events where target_id = $1 and kind = '${kind}')`
const mailed = `exists (select 1 from jobs.job where data->>'userId' = $1::text)`
const noSessions = `not exists (select 1 from sessions where user_id = $1)`

/** Things that change several tables, each ready to be done to somebody. */
const deeds: Record<string, (place: Apart, admin: Member, target: Member, hash: string) => Promise<Deed>> = {
  role: async (_, by, { id }) => ({
    name: 'updateUserRole',
    input: { userId: id, role: 'editor' },
    by,
    facts: [`(select role = 'editor' from users where id = $1)`, told('role.changed')],
  }),
  suspend: async (_, by, { id }) => ({
    name: 'suspendUsers',
    input: { ids: [id] },
    by,
    facts: [`(select suspended_at is not null from users where id = $1)`, noSessions, told('person.suspended')],
  }),
  delete: async (_, by, { id, email }) => ({
    name: 'deleteUser',
    input: { userId: id, confirmation: email },
    by,
    facts: [`not exists (select 1 from users where id = $1)`, noSessions, told('person.deleted')],
  }),
  reset: async (place, by, { id }) => {
    const token = someToken()
    await place.pool.query(
      `insert into tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() + interval '1 hour')`,
      [createHash('sha256').update(token).digest(), id],
    )
    const isUsed = `not exists (select 1 from tokens where user_id = $1)`
    const isNew = `exists (select 1 from passwords where user_id = $1 and changed_at > now() - interval '1 day')`
    return {
      name: 'chooseNewPassword',
      input: { token, password: 'an entirely different horse 3' },
      by,
      facts: [isUsed, isNew, noSessions, mailed, told('password.changed')],
    }
  },
  change: async (place, _, target, hash) => {
    const isNew = `(select hash <> '${hash}' from passwords where user_id = $1)`
    await place.pool.query('insert into sessions (user_id, token_hash) values ($1, $2)', [
      target.id,
      createHash('sha256').update(someToken()).digest(),
    ])
    return {
      name: 'changePassword',
      input: { current: password, next: 'an entirely different horse 3' },
      by: target,
      facts: [isNew, `(select count(*) = 1 from sessions where user_id = $1)`, mailed, told('password.changed')],
    }
  },
}

checkModule(
  'admin',
  'P-17',
  'wherever the way to the database breaks, what was asked for is done as a whole or not at all, the audit log included',
  async (world) => {
    const place = await apart(world)
    const way = await breakableWay(world, new URL(place.pool.options.connectionString ?? ''))
    const node = await world.node('on a way that breaks', { DATABASE_URL: way.url, WORKER: 'apart' })
    const admin = await place.add('admin')
    const counts = { done: 0, not: 0, unheard: 0 }
    const property = fc.asyncProperty(
      fc.constantFrom(...Object.keys(deeds)),
      fc.integer({ min: 1, max: 22 }),
      fc.boolean(),
      async (kind, at, isAfter) => {
        const target = await place.add('viewer')
        if (kind === 'change')
          await place.pool.query(
            `insert into passwords (user_id, hash, changed_at) values ($1, $2, now() - interval '9 days')`,
            [target.id, world.hash],
          )
        const deed = (await deeds[kind]?.(place, admin, target, world.hash)) ?? assert.fail()
        Object.assign(way.cut, { at, isAfter })
        const answer = await submit(world, deed.name, deed.input, {
          node,
          jar: deed.by.jar.copy(),
          path: '/signed-out',
          may500: true,
        }).then(verdict)
        way.cut.at = 0
        // The database may still be at work on what it was told last.
        await place.pool.query(`select pg_sleep(0.01)`)
        const { rows } = await place.pool.query(`select ${deed.facts.map((fact, index) => `${fact} as f${index}`)}`, [
          target.id,
        ])
        const facts: boolean[] = deed.facts.map((_, index) => rows[0][`f${index}`])
        assert.equal(new Set(facts).size, 1, `${deed.name} answered ${answer}, and is half done: ${facts}`)
        const isDone = facts[0] ?? false
        if (answer === 'ok' || answer.startsWith('to /signin') || answer.startsWith('to /admin'))
          assert.ok(isDone, `${deed.name} answered ${answer}, and is not done`)
        else if (isDone) counts.unheard++
        counts[isDone ? 'done' : 'not']++
      },
    )
    return holds('P-17', property, {
      note: () =>
        `${counts.done} done, of those ${counts.unheard} without an answer that says so; ${counts.not} not done`,
    })
  },
)
