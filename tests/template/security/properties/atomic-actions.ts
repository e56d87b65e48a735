import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { connect, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { findFreePort } from '../../../../scripts/ports.ts'
import { submitAction } from '../../../app/support/call-action.ts'
import { checkModule } from '../../../app/support/checks.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import { password, randomToken, type World } from '../../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { assertProperty } from './support/property.ts'

/**
 * A TCP proxy to the database that breaks all connections at the n-th chunk from the app: before or after passing it
 * on.
 */
async function startBreakableProxy(world: World, url: URL) {
  const port = await findFreePort()
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
    app.on('data', (chunk) => {
      const isNow = cut.at > 0 && --cut.at === 0
      if (isNow && !cut.isAfter) return breakAll()
      database.write(chunk, () => isNow && breakAll())
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  world.atEndOfGroup(async () => {
    breakAll()
    server.close()
  })
  const proxyUrl = new URL(url)
  proxyUrl.hostname = '127.0.0.1'
  proxyUrl.port = String(port)
  return { cut, url: proxyUrl.href }
}

interface ActionCase {
  name: string
  input: object
  by: SignedInUser
  /** SQL conditions on the user `$1`: all true once it is done, all false otherwise. */
  facts: string[]
}

const hasAuditEvent = (kind: string) => `exists (select 1 from audit_events where target_id = $1 and kind = '${kind}')`
const hasEmailJob = `exists (select 1 from jobs.job where data->>'userId' = $1::text)`
const noSessions = `not exists (select 1 from sessions where user_id = $1)`

/** Actions that change several tables, each prepared for a target user. */
const actionCases: Record<
  string,
  (isolated: IsolatedApp, admin: SignedInUser, target: SignedInUser, hash: string) => Promise<ActionCase>
> = {
  role: async (_, by, { id }) => ({
    name: 'updateUserRole',
    input: { userId: id, role: 'editor' },
    by,
    facts: [`(select role = 'editor' from users where id = $1)`, hasAuditEvent('role.changed')],
  }),
  suspend: async (_, by, { id }) => ({
    name: 'suspendUsers',
    input: { ids: [id] },
    by,
    facts: [
      `(select suspended_at is not null from users where id = $1)`,
      noSessions,
      hasAuditEvent('person.suspended'),
    ],
  }),
  delete: async (_, by, { id, email }) => ({
    name: 'deleteUser',
    input: { userId: id, typedEmail: email },
    by,
    facts: [`not exists (select 1 from users where id = $1)`, noSessions, hasAuditEvent('person.deleted')],
  }),
  reset: async (isolated, by, { id }) => {
    const token = randomToken()
    await isolated.pool.query(
      `insert into tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() + interval '1 hour')`,
      [createHash('sha256').update(token).digest(), id],
    )
    const isUsed = `not exists (select 1 from tokens where user_id = $1)`
    const isNew = `exists (select 1 from passwords where user_id = $1 and changed_at > now() - interval '1 day')`
    return {
      name: 'chooseNewPassword',
      input: { token, password: 'an entirely different horse 3' },
      by,
      facts: [isUsed, isNew, noSessions, hasEmailJob, hasAuditEvent('password.changed')],
    }
  },
  change: async (isolated, _, target, hash) => {
    const isNew = `(select hash <> '${hash}' from passwords where user_id = $1)`
    await isolated.pool.query('insert into sessions (user_id, token_hash) values ($1, $2)', [
      target.id,
      createHash('sha256').update(randomToken()).digest(),
    ])
    return {
      name: 'changePassword',
      input: { current: password, next: 'an entirely different horse 3' },
      by: target,
      facts: [
        isNew,
        `(select count(*) = 1 from sessions where user_id = $1)`,
        hasEmailJob,
        hasAuditEvent('password.changed'),
      ],
    }
  },
}

checkModule(
  'admin',
  'P-17',
  'wherever the database connection breaks, an action is done entirely or not at all, including its audit event',
  async (world) => {
    const isolated = await isolatedApp(world)
    const proxy = await startBreakableProxy(world, new URL(isolated.pool.options.connectionString ?? ''))
    const node = await world.node('on a way that breaks', { DATABASE_URL: proxy.url, WORKER: 'apart' })
    const admin = await isolated.addUser('admin')
    const counts = { done: 0, not: 0, unconfirmed: 0 }
    const property = fc.asyncProperty(
      fc.constantFrom(...Object.keys(actionCases)),
      fc.integer({ min: 1, max: 22 }),
      fc.boolean(),
      async (kind, at, isAfter) => {
        const target = await isolated.addUser('viewer')
        if (kind === 'change')
          await isolated.pool.query(
            `insert into passwords (user_id, hash, changed_at) values ($1, $2, now() - interval '9 days')`,
            [target.id, world.hash],
          )
        const actionCase = (await actionCases[kind]?.(isolated, admin, target, world.hash)) ?? assert.fail()
        Object.assign(proxy.cut, { at, isAfter })
        const response = await submitAction(world, actionCase.name, actionCase.input, {
          node,
          jar: actionCase.by.jar.copy(),
          path: '/signed-out',
          allow500: true,
        }).then(verdict)
        proxy.cut.at = 0
        // The database may still be executing the last statement.
        await isolated.pool.query(`select pg_sleep(0.01)`)
        const { rows } = await isolated.pool.query(
          `select ${actionCase.facts.map((fact, index) => `${fact} as f${index}`)}`,
          [target.id],
        )
        const facts: boolean[] = actionCase.facts.map((_, index) => rows[0][`f${index}`])
        assert.equal(new Set(facts).size, 1, `${actionCase.name} returned ${response}, and is half done: ${facts}`)
        const isDone = facts[0] ?? false
        if (response === 'ok' || response.startsWith('to /signin') || response.startsWith('to /admin'))
          assert.ok(isDone, `${actionCase.name} returned ${response}, and is not done`)
        else if (isDone) counts.unconfirmed++
        counts[isDone ? 'done' : 'not']++
      },
    )
    return assertProperty('P-17', property, {
      note: () =>
        `${counts.done} done, of those ${counts.unconfirmed} without a response that says so; ${counts.not} not done`,
    })
  },
  { full: 'samples races' },
)
