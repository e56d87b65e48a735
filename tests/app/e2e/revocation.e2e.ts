import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test } from '../support/e2e-test.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { submitForm } from '../support/submit-form.ts'

const times = 200

/** Two app processes on one database: a revocation on one applies to the next request on the other. */
test.describe('on two nodes', () => {
  test.describe.configure({ mode: 'serial' })
  test.setTimeout(600_000)
  let other: RunningServer
  let client: pg.Client
  test.beforeAll(async () => {
    const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
    other = await startServer('start', { DATABASE_URL, AUTH_SECRET, ALLOW_SEEDED_PEOPLE: '1' })
    client = new pg.Client({ connectionString: DATABASE_URL })
    await client.connect()
  })
  test.afterAll(async () => {
    await client.end()
    await other.stop()
  })

  async function newSession() {
    const token = randomBytes(32).toString('base64url')
    const { rows } = await client.query(
      `with new_user as (insert into users (email, name, role, email_verified_at) values ($1, 'Ada', 'editor', now()) returning id)
       insert into sessions (user_id, token_hash) select id, $2 from new_user returning user_id as id`,
      [`revoked-${crypto.randomUUID()}@example.com`, createHash('sha256').update(token).digest()],
    )
    return { id: rows[0].id as string, token }
  }
  const session = async (url: string, token: string) =>
    (await fetch(`${url}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()

  test(`signing out on one node ends the session on the other, ${times} of ${times} times`, async ({ appUrl }) => {
    let passed = 0
    for (let round = 0; round < times; round++) {
      const { id, token } = await newSession()
      expect(await session(other.url, token)).toMatchObject({ user: { id } })
      await fetch(`${appUrl}/api/auth/signout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        redirect: 'manual',
      })
      if ((await session(other.url, token)) === null) passed++
    }
    expect(passed).toBe(times)
  })

  for (const [what, statement] of [
    ['suspending', 'update users set suspended_at = now() where id = $1'],
    ['deleting', 'delete from users where id = $1'],
  ] as const) {
    test(`${what} a user ends their sessions on both nodes, ${times} of ${times} times`, async ({ appUrl }) => {
      let passed = 0
      for (let round = 0; round < times; round++) {
        const { id, token } = await newSession()
        expect(await session(appUrl, token)).toMatchObject({ user: { id } })
        await client.query(statement, [id])
        const sessions = await Promise.all([session(appUrl, token), session(other.url, token)])
        if (sessions.every((found) => found === null)) passed++
      }
      expect(passed).toBe(times)
    })
  }

  test(`a password reset on one node ends every session on the other, ${times} of ${times} times`, async ({
    appUrl,
  }) => {
    let passed = 0
    for (let round = 0; round < times; round++) {
      const { id, token } = await newSession()
      const secret = randomBytes(32).toString('base64url')
      await client.query(
        "insert into tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() + interval '1 minute')",
        [createHash('sha256').update(secret).digest(), id],
      )
      expect(await session(other.url, token)).toMatchObject({ user: { id } })
      const response = await submitForm(`${appUrl}/reset?token=${secret}`, { password: `a new password ${round}` })
      expect(response.headers.get('location')).toBe('/signin?notice=password_changed')
      if ((await session(other.url, token)) === null) passed++
    }
    expect(passed).toBe(times)
  })

  test(`a role change applies on both nodes, ${times} of ${times} times`, async ({ appUrl }) => {
    let passed = 0
    for (let round = 0; round < times; round++) {
      const { id, token } = await newSession()
      await session(appUrl, token)
      await client.query(`update users set role = 'viewer' where id = $1`, [id])
      const sessions = await Promise.all([session(appUrl, token), session(other.url, token)])
      if (sessions.every((answer) => answer?.user.role === 'viewer')) passed++
    }
    expect(passed).toBe(times)
  })
})
