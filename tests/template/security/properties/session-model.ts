import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { submitAction } from '../../../app/support/call-action.ts'
import { checkModule } from '../../../app/support/checks.ts'
import { call, Jar } from '../../../app/support/http-client.ts'
import { verdict } from '../../../app/support/server-actions.ts'
import { password, randomToken, type World } from '../../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../support/isolated-app.ts'
import { assertProperty } from './support/property.ts'

type Role = 'viewer' | 'editor' | 'admin'
const hour = 3_600
const passwords = [password, 'an entirely different horse 3']

interface ModelUser {
  role: Role
  /** Index of the current password in `passwords`. */
  password: number
}

interface Session {
  user: number
  /** Seconds on the model's clock. */
  startedAt: number
  lastSeenAt: number
}

interface Model {
  now: number
  users: Map<number, ModelUser>
  sessions: Map<number, Session>
}

interface Real {
  world: World
  isolated: IsolatedApp
  admin: SignedInUser
  users: Map<number, { id: string; email: string }>
  jars: Map<number, Jar>
  requestCount: number
}

const lifetime = (role: Role) => (role === 'admin' ? { idle: 12, absolute: 24 } : { idle: 7 * 24, absolute: 30 * 24 })

function isValid(model: Model, { user, startedAt, lastSeenAt }: Session): boolean {
  const found = model.users.get(user)
  if (!found) return false
  const { idle, absolute } = lifetime(found.role)
  return model.now < lastSeenAt + idle * hour && model.now < startedAt + absolute * hour
}

const nodeOf = (real: Real) => real.isolated.nodes[real.requestCount++ % 2 === 0 ? 0 : 1]

/** After each command: the users and every session token, checked on alternating nodes, match the model. */
async function compare(model: Model, real: Real): Promise<void> {
  const ids = [...real.users.values()].map(({ id }) => id)
  const { rows } = await real.isolated.pool.query('select id, role from users where id = any($1)', [ids])
  const expected = [...model.users].map(([key, { role }]) => [real.users.get(key)?.id, role])
  assert.deepEqual(rows.map(({ id, role }) => [id, role]).sort(), expected.sort())
  for (const [key, jar] of real.jars) {
    const session = model.sessions.get(key)
    const isExpected = session !== undefined && isValid(model, session)
    const response = await real.world.getSession(jar.token, nodeOf(real))
    assert.equal(response !== null, isExpected, `session ${key}`)
    if (!session || !isExpected) continue
    assert.equal(response.user.role, model.users.get(session.user)?.role)
    // The app updates last_seen_at at most every five minutes.
    if (model.now - session.lastSeenAt > 300) session.lastSeenAt = model.now
  }
}

type Step =
  | { type: 'signUp' | 'signIn' | 'changePassword' | 'delete' | 'revoke'; who: number }
  | { type: 'signOut'; which: number }
  | { type: 'changeRole'; who: number; role: Role }
  | { type: 'tick'; hours: number }

class Command implements fc.AsyncCommand<Model, Real> {
  readonly step: Step

  constructor(step: Step) {
    this.step = step
  }

  check(model: Readonly<Model>): boolean {
    const { step } = this
    if (step.type === 'tick') return true
    if (step.type === 'signOut') return model.sessions.has(step.which)
    if (step.type === 'signUp') return !model.users.has(step.who)
    return model.users.has(step.who)
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.apply(model, real)
    await compare(model, real)
  }

  private begin(model: Model, real: Real, user: number, jar: Jar): void {
    const key = real.jars.size
    real.jars.set(key, jar)
    model.sessions.set(key, { user, startedAt: model.now, lastSeenAt: model.now })
  }

  private async apply(model: Model, real: Real): Promise<void> {
    const { step } = this
    const { world, isolated, admin } = real
    const node = nodeOf(real)
    const byAdmin = { jar: admin.jar.copy(), node, path: '/signed-out' }
    if (step.type === 'tick') {
      // The database clock decides, so the timestamps are moved into the past.
      for (const column of ['created_at', 'last_seen_at'])
        await isolated.pool.query(
          `update sessions set ${column} = ${column} - make_interval(hours => $1) where user_id <> $2`,
          [step.hours, admin.id],
        )
      model.now += step.hours * hour
      return
    }
    if (step.type === 'signOut') {
      const jar = real.jars.get(step.which) ?? assert.fail()
      const headers = { Authorization: `Bearer ${jar.token}` }
      await call(node.url, '/api/auth/signout', { method: 'POST', headers })
      model.sessions.delete(step.which)
      return
    }
    if (step.type === 'signUp') {
      const [token, email] = [randomToken(), `p1-${crypto.randomUUID()}@example.com`]
      await isolated.pool.query(
        `with made as (insert into signups (email, name, password_hash) values ($1, 'Test User', $2) returning id)
         insert into tokens (hash, purpose, signup_id, expires_at)
         select $3, 'signup', id, now() + interval '1 hour' from made`,
        [email, world.hash, createHash('sha256').update(token).digest()],
      )
      const jar = new Jar()
      const response = await submitAction(
        world,
        'verifySignUpEmail',
        { token, password },
        { node, jar, path: '/verify' },
      )
      assert.equal(verdict(response), 'to /dashboard')
      const { rows } = await isolated.pool.query('select id from users where email = $1', [email])
      real.users.set(step.who, { id: rows[0].id, email })
      model.users.set(step.who, { role: 'viewer', password: 0 })
      return this.begin(model, real, step.who, jar)
    }
    const user = model.users.get(step.who) ?? assert.fail()
    const { id, email } = real.users.get(step.who) ?? assert.fail()
    const sessionsOfUser = [...model.sessions].filter(([, { user: owner }]) => owner === step.who)
    if (step.type === 'signIn') {
      const jar = new Jar()
      const wrong = await world.trySignIn(email, passwords[1 - user.password], { node })
      assert.equal(wrong.status, 401)
      assert.equal((await world.trySignIn(email, passwords[user.password], { node, jar })).status, 200)
      this.begin(model, real, step.who, jar)
    } else if (step.type === 'changeRole') {
      assert.equal(verdict(await submitAction(world, 'updateUserRole', { userId: id, role: step.role }, byAdmin)), 'ok')
      user.role = step.role
    } else if (step.type === 'revoke') {
      const response = verdict(await submitAction(world, 'endUserSessions', { userId: id }, byAdmin))
      assert.match(response, /^(ok|not_found)$/)
      for (const [key] of sessionsOfUser) model.sessions.delete(key)
    } else if (step.type === 'delete') {
      const input = { userId: id, typedEmail: email }
      assert.equal(verdict(await submitAction(world, 'deleteUser', input, byAdmin)), 'to /admin/users?done=deleted')
      model.users.delete(step.who)
      for (const [key] of sessionsOfUser) model.sessions.delete(key)
    } else {
      const own = sessionsOfUser.find(([, session]) => isValid(model, session))
      if (!own) return
      const jar = real.jars.get(own[0]) ?? assert.fail()
      const [current, next] = [passwords[user.password], passwords[1 - user.password]]
      const response = await submitAction(
        world,
        'changePassword',
        { current, next },
        { jar, node, path: '/account/password' },
      )
      assert.equal(verdict(response), 'ok')
      user.password = 1 - user.password
      for (const [key] of sessionsOfUser) if (key !== own[0]) model.sessions.delete(key)
      if (model.now - own[1].lastSeenAt > 300) own[1].lastSeenAt = model.now
    }
  }

  toString(): string {
    return JSON.stringify(this.step)
  }
}

const who = fc.nat(1)
const createCommand = <Name extends 'signUp' | 'signIn' | 'changePassword' | 'delete' | 'revoke'>(name: Name) =>
  who.map((one) => new Command({ type: name, who: one }))

checkModule(
  'admin',
  'P-1',
  'after any sequence of sign-up, sign-in, sign-out, password and role changes, deletion and time, sessions match the model',
  async (world) => {
    const isolated = await isolatedApp(world)
    await isolated.addUser('admin')
    let steps = 0
    const commands = fc.commands(
      [
        createCommand('signUp'),
        createCommand('signIn'),
        createCommand('changePassword'),
        createCommand('delete'),
        createCommand('revoke'),
        fc.nat(3).map((which) => new Command({ type: 'signOut', which })),
        fc
          .record({ who, role: fc.constantFrom<Role>('viewer', 'editor', 'admin') })
          .map((given) => new Command({ type: 'changeRole', ...given })),
        fc.constantFrom(1, 11, 13, 25, 100, 170, 500).map((hours) => new Command({ type: 'tick', hours })),
      ],
      { maxCommands: 6, size: 'max' },
    )
    const property = fc.asyncProperty(commands, async (chosen) => {
      const admin = await isolated.addUser('admin')
      const user = await isolated.addUser('viewer')
      await isolated.pool.query('insert into passwords (user_id, hash) values ($1, $2)', [user.id, world.hash])
      const setup = () => ({
        model: {
          now: 0,
          users: new Map([[0, { role: 'viewer' as const, password: 0 }]]),
          sessions: new Map([[0, { user: 0, startedAt: 0, lastSeenAt: 0 }]]),
        },
        real: { world, isolated, admin, users: new Map([[0, user]]), jars: new Map([[0, user.jar]]), requestCount: 0 },
      })
      await fc.asyncModelRun(setup, chosen)
      steps += [...chosen].length
    })
    return assertProperty('P-1', property, { examples: [], note: () => `${steps} steps` })
  },
  { full: 'samples races' },
)
