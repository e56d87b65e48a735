import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { verdict } from '../actions.ts'
import { type Apart, apart, type Member } from '../apart.ts'
import { checkModule } from '../checks.ts'
import { call, Jar } from '../client.ts'
import { password, someToken, submit, type World } from '../world.ts'
import { holds } from './property.ts'

type Role = 'viewer' | 'editor' | 'admin'
const hour = 3_600
const passwords = [password, 'an entirely different horse 3']

interface Person {
  role: Role
  /** Which of the two it is now. */
  password: number
}

interface Session {
  person: number
  /** Seconds, on the clock of the model. */
  began: number
  seen: number
}

interface Model {
  now: number
  people: Map<number, Person>
  sessions: Map<number, Session>
}

interface Real {
  world: World
  place: Apart
  admin: Member
  people: Map<number, { id: string; email: string }>
  jars: Map<number, Jar>
  turn: number
}

const lifetime = (role: Role) => (role === 'admin' ? { idle: 12, absolute: 24 } : { idle: 7 * 24, absolute: 30 * 24 })

function isGood(model: Model, { person, began, seen }: Session): boolean {
  const found = model.people.get(person)
  if (!found) return false
  const { idle, absolute } = lifetime(found.role)
  return model.now < seen + idle * hour && model.now < began + absolute * hour
}

const nodeOf = (real: Real) => real.place.nodes[real.turn++ % 2 === 0 ? 0 : 1]

/** After each command: the tables and every token, at one node or the other, are what the model says. */
async function compare(model: Model, real: Real): Promise<void> {
  const ids = [...real.people.values()].map(({ id }) => id)
  const { rows } = await real.place.pool.query('select id, role from users where id = any($1)', [ids])
  const expected = [...model.people].map(([key, { role }]) => [real.people.get(key)?.id, role])
  assert.deepEqual(rows.map(({ id, role }) => [id, role]).sort(), expected.sort())
  for (const [key, jar] of real.jars) {
    const session = model.sessions.get(key)
    const isExpected = session !== undefined && isGood(model, session)
    const answer = await real.world.session(jar.token, nodeOf(real))
    assert.equal(answer !== null, isExpected, `session ${key}`)
    if (!session || !isExpected) continue
    assert.equal(answer.user.role, model.people.get(session.person)?.role)
    // A request is noted, though not each one.
    if (model.now - session.seen > 300) session.seen = model.now
  }
}

type Step =
  | { does: 'signUp' | 'signIn' | 'changePassword' | 'delete' | 'revoke'; who: number }
  | { does: 'signOut'; which: number }
  | { does: 'changeRole'; who: number; role: Role }
  | { does: 'tick'; hours: number }

class Command implements fc.AsyncCommand<Model, Real> {
  readonly step: Step

  constructor(step: Step) {
    this.step = step
  }

  check(model: Readonly<Model>): boolean {
    const { step } = this
    if (step.does === 'tick') return true
    if (step.does === 'signOut') return model.sessions.has(step.which)
    if (step.does === 'signUp') return !model.people.has(step.who)
    return model.people.has(step.who)
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real)
    await compare(model, real)
  }

  private begin(model: Model, real: Real, person: number, jar: Jar): void {
    const key = real.jars.size
    real.jars.set(key, jar)
    model.sessions.set(key, { person, began: model.now, seen: model.now })
  }

  private async act(model: Model, real: Real): Promise<void> {
    const { step } = this
    const { world, place, admin } = real
    const node = nodeOf(real)
    const byAdmin = { jar: admin.jar.copy(), node, path: '/signed-out' }
    if (step.does === 'tick') {
      // The clock is the database's: what happened is made older.
      for (const column of ['created_at', 'last_seen_at'])
        await place.pool.query(
          `update sessions set ${column} = ${column} - make_interval(hours => $1) where user_id <> $2`,
          [step.hours, admin.id],
        )
      model.now += step.hours * hour
      return
    }
    if (step.does === 'signOut') {
      const jar = real.jars.get(step.which) ?? assert.fail()
      const headers = { Authorization: `Bearer ${jar.token}` }
      await call(node.url, '/api/auth/signout', { method: 'POST', headers })
      model.sessions.delete(step.which)
      return
    }
    if (step.does === 'signUp') {
      const [token, email] = [someToken(), `p1-${crypto.randomUUID()}@example.com`]
      await place.pool.query(
        `with made as (insert into signups (email, name, password_hash) values ($1, 'Somebody', $2) returning id)
         insert into tokens (hash, purpose, signup_id, expires_at)
         select $3, 'signup', id, now() + interval '1 hour' from made`,
        [email, world.hash, createHash('sha256').update(token).digest()],
      )
      const jar = new Jar()
      const answer = await submit(world, 'confirmAddress', { token, password }, { node, jar, path: '/verify' })
      assert.equal(verdict(answer), 'to /dashboard')
      const { rows } = await place.pool.query('select id from users where email = $1', [email])
      real.people.set(step.who, { id: rows[0].id, email })
      model.people.set(step.who, { role: 'viewer', password: 0 })
      return this.begin(model, real, step.who, jar)
    }
    const person = model.people.get(step.who) ?? assert.fail()
    const { id, email } = real.people.get(step.who) ?? assert.fail()
    const theirs = [...model.sessions].filter(([, { person: owner }]) => owner === step.who)
    if (step.does === 'signIn') {
      const jar = new Jar()
      const wrong = await world.try(email, passwords[1 - person.password], { node })
      assert.equal(wrong.status, 401)
      assert.equal((await world.try(email, passwords[person.password], { node, jar })).status, 200)
      this.begin(model, real, step.who, jar)
    } else if (step.does === 'changeRole') {
      assert.equal(verdict(await submit(world, 'updateUserRole', { userId: id, role: step.role }, byAdmin)), 'ok')
      person.role = step.role
    } else if (step.does === 'revoke') {
      const answer = verdict(await submit(world, 'endUserSessions', { userId: id }, byAdmin))
      assert.match(answer, /^(ok|not_found)$/)
      for (const [key] of theirs) model.sessions.delete(key)
    } else if (step.does === 'delete') {
      const input = { userId: id, confirmation: email }
      assert.equal(verdict(await submit(world, 'deleteUser', input, byAdmin)), 'to /admin/users?done=deleted')
      model.people.delete(step.who)
      for (const [key] of theirs) model.sessions.delete(key)
    } else {
      const own = theirs.find(([, session]) => isGood(model, session))
      if (!own) return
      const jar = real.jars.get(own[0]) ?? assert.fail()
      const [current, next] = [passwords[person.password], passwords[1 - person.password]]
      const answer = await submit(world, 'changePassword', { current, next }, { jar, node, path: '/account/password' })
      assert.equal(verdict(answer), 'ok')
      person.password = 1 - person.password
      for (const [key] of theirs) if (key !== own[0]) model.sessions.delete(key)
      if (model.now - own[1].seen > 300) own[1].seen = model.now
    }
  }

  toString(): string {
    return JSON.stringify(this.step)
  }
}

const who = fc.nat(1)
const does = <Name extends 'signUp' | 'signIn' | 'changePassword' | 'delete' | 'revoke'>(name: Name) =>
  who.map((one) => new Command({ does: name, who: one }))

checkModule(
  'admin',
  'P-1',
  'after any sequence of joining, signing in and out, new passwords, roles, endings and time, every session is what it should be',
  async (world) => {
    const place = await apart(world)
    await place.add('admin')
    let steps = 0
    const commands = fc.commands(
      [
        does('signUp'),
        does('signIn'),
        does('changePassword'),
        does('delete'),
        does('revoke'),
        fc.nat(3).map((which) => new Command({ does: 'signOut', which })),
        fc
          .record({ who, role: fc.constantFrom<Role>('viewer', 'editor', 'admin') })
          .map((given) => new Command({ does: 'changeRole', ...given })),
        fc.constantFrom(1, 11, 13, 25, 100, 170, 500).map((hours) => new Command({ does: 'tick', hours })),
      ],
      { maxCommands: 6, size: 'max' },
    )
    const property = fc.asyncProperty(commands, async (chosen) => {
      const admin = await place.add('admin')
      const person = await place.add('viewer')
      await place.pool.query('insert into passwords (user_id, hash) values ($1, $2)', [person.id, world.hash])
      const setup = () => ({
        model: {
          now: 0,
          people: new Map([[0, { role: 'viewer' as const, password: 0 }]]),
          sessions: new Map([[0, { person: 0, began: 0, seen: 0 }]]),
        },
        real: { world, place, admin, people: new Map([[0, person]]), jars: new Map([[0, person.jar]]), turn: 0 },
      })
      await fc.asyncModelRun(setup, chosen)
      steps += [...chosen].length
    })
    return holds('P-1', property, { examples: [], note: () => `${steps} steps` })
  },
)
