import { eq, sql } from 'drizzle-orm'
import { redirect } from 'next/navigation'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { appSlug } from '@/brand'
import { modules } from '@/modules'
import { newSessionToken } from '../../tests/app/support/new-session-token'
import { asRequest } from '../../tests/app/support/next-headers'
import { defineAction, definePublicAction } from './action'
import { definePolicy, type Role, roles } from './auth/policy'
import { findSession } from './auth/session/sessions'
import { hashToken, newToken } from './auth/tokens/token'
import { createUser } from './auth/user/create'
import { db } from './db/client'
import { auditEvents, passwords, sessions } from './db/schema'
import { AppError } from './errors'

const { can } = definePolicy({ 'things.rename': ['admin'] })
const sameOrigin = { 'sec-fetch-site': 'same-origin' }

const rename = defineAction({
  input: z.object({ name: z.string().trim().min(1, 'Give it a name') }),
  allow: can('things.rename'),
  preserve: ['name'],
  run: async ({ input, actor }) => ({ ...input, by: actor.role }),
})

const greet = definePublicAction({
  input: z.object({ name: z.string().min(1, 'Say who you are'), password: z.string().min(3, 'Too short') }),
  preserve: ['name'],
  run: async ({ input }) => {
    if (input.name === 'bug') throw new Error('relation "passwords" is broken')
    if (input.name === 'taken') throw new AppError('conflict', 'That name is taken')
    if (input.name === 'away') redirect('/signin')
    return `Hello ${input.name}`
  },
})

function form(fields: Record<string, string>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}

describe('an action', () => {
  test('returns data', async () => {
    expect(await asRequest(sameOrigin, () => greet({ name: 'Ada', password: 'abc' }))).toEqual({
      ok: true,
      data: 'Hello Ada',
    })
  })

  test('accepts a form, and drops the fields that Next adds', async () => {
    const data = form({ name: 'Ada', password: 'abc', $ACTION_ID_1: 'x' })
    expect(await asRequest(sameOrigin, () => greet(null, data))).toEqual({ ok: true, data: 'Hello Ada' })
  })

  test('returns messages by field, and preserves what was typed but never the password', async () => {
    const result = await asRequest(sameOrigin, () => greet(null, form({ name: 'Ada', password: 'ab' })))
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_input', fields: { password: ['Too short'] } } })
    expect(result).toHaveProperty('values', { name: 'Ada' })
  })

  test('returns the message of an AppError', async () => {
    expect(await asRequest(sameOrigin, () => greet({ name: 'taken', password: 'abc' }))).toEqual({
      ok: false,
      error: { code: 'conflict', message: 'That name is taken' },
    })
  })

  test('does not reveal an unexpected error', async () => {
    const result = await asRequest(sameOrigin, () => greet({ name: 'bug', password: 'abc' }))
    expect(result).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(JSON.stringify(result)).not.toContain('passwords')
  })

  test('lets a redirect through', async () => {
    await expect(asRequest(sameOrigin, () => greet({ name: 'away', password: 'abc' }))).rejects.toThrow('NEXT_REDIRECT')
  })

  class UserInput {
    name = 'Ada'
    password = 'abc'
  }
  test.each([undefined, null, 'text', 7, [], { name: { $ne: null } }, new Map(), new UserInput()])(
    'rejects %j as input',
    async (input) => {
      expect(await asRequest(sameOrigin, () => greet(input as never))).toMatchObject({
        ok: false,
        error: { code: 'invalid_input' },
      })
    },
  )

  test.each([[[]], [[{ name: 'Ada', password: 'abc' }, null]], [[null, null, form({ name: 'Ada', password: 'abc' })]]])(
    'rejects any other number of arguments: %j',
    async (args) => {
      const call = greet as (...args: unknown[]) => Promise<unknown>
      expect(await asRequest(sameOrigin, () => call(...args))).toMatchObject({ error: { code: 'invalid_input' } })
    },
  )

  test.each<Record<string, string>>([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('rejects a request with the headers %j', async (headers) => {
    expect(await asRequest(headers, () => greet({ name: 'Ada', password: 'abc' }))).toMatchObject({
      error: { code: 'cross_site' },
    })
  })
})

describe('the permission', () => {
  test('is missing for an unauthenticated caller', async () => {
    expect(await asRequest(sameOrigin, () => rename({ name: 'x' }))).toMatchObject({
      ok: false,
      error: { code: 'unauthenticated' },
    })
  })

  test.each(roles)('follows the policy for %s', async (role) => {
    const headers = { ...sameOrigin, cookie: `${appSlug}.session=${await newSessionToken(role)}` }
    const result = await asRequest(headers, () => rename({ name: 'x' }))
    expect(result).toMatchObject(
      role === 'admin' ? { ok: true, data: { by: 'admin' } } : { ok: false, error: { code: 'forbidden' } },
    )
  })

  test('is checked before the input', async () => {
    const headers = { ...sameOrigin, cookie: `${appSlug}.session=${await newSessionToken('viewer')}` }
    expect(await asRequest(headers, () => rename({ name: '' }))).toMatchObject({ error: { code: 'forbidden' } })
  })
})

describe('a sensitive action', () => {
  const password = 'a long walk by the sea'
  const calls: unknown[] = []
  const remove = defineAction({
    // Strict, so that a field too many would be an error.
    input: z.strictObject({ name: z.string().min(1, 'Give it a name') }),
    allow: can('things.rename'),
    isSensitive: true,
    preserve: ['name'],
    run: async ({ input }) => {
      calls.push(input)
      return input
    },
  })

  let userId: string
  beforeEach(async () => {
    calls.length = 0
    userId = await newUser('admin')
  })
  afterEach(() => {
    const fake = modules.findIndex(({ name }) => name === 'fake')
    if (fake >= 0) modules.splice(fake, 1)
  })

  const newUser = (role: Role) =>
    createUser({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role, password })

  async function newSession({ of = userId, minutes = 61, impersonatorSessionId = null as string | null } = {}) {
    const token = newToken()
    const reauthenticatedAt = sql`now() - make_interval(mins => ${minutes})`
    const [session] = await db
      .insert(sessions)
      .values({ userId: of, tokenHash: hashToken(token), reauthenticatedAt, impersonatorSessionId })
      .returning({ id: sessions.id })
    return { token, id: session?.id ?? '' }
  }

  /** Submits the form, and returns the result with the session token that the browser has afterwards. */
  const submit = (token: string, fields: Record<string, string>) =>
    asRequest({ ...sameOrigin, cookie: `${appSlug}.session=${token}` }, async () => {
      const result = await remove(null, form(fields))
      const { cookies } = await import('next/headers')
      return { result, token: (await cookies()).get(`${appSlug}.session`)?.value }
    })

  const kindsOf = async (id: string) =>
    (
      await db
        .select({ kind: auditEvents.kind })
        .from(auditEvents)
        .where(eq(auditEvents.actorId, id))
        .orderBy(auditEvents.id)
    ).map(({ kind }) => kind)
  const failuresOf = async (id: string) =>
    (await db.select({ failures: passwords.failures }).from(passwords).where(eq(passwords.userId, id)))[0]?.failures

  test('runs in a session that was reauthenticated, and a password that was sent along is neither checked nor passed on', async () => {
    const { token } = await newSession({ minutes: 59 })
    const forms: Record<string, string>[] = [{ name: 'x' }, { name: 'x', ownPassword: 'wrong' }]
    for (const fields of forms) expect((await submit(token, fields)).result).toEqual({ ok: true, data: { name: 'x' } })
    expect(await failuresOf(userId)).toBe(0)
    expect(await kindsOf(userId)).toEqual([])
  })

  test('does nothing in another session without a password', async () => {
    const { token } = await newSession()
    expect((await submit(token, { name: 'x' })).result).toMatchObject({ ok: false, error: { code: 'reauth_required' } })
    expect(calls).toEqual([])
  })

  test('runs with the right password, which reauthenticates the session and replaces its token', async () => {
    const { token } = await newSession()
    const { result, token: renewed } = await submit(token, { name: 'x', ownPassword: password })
    expect(result).toEqual({ ok: true, data: { name: 'x' } })
    expect(calls).toEqual([{ name: 'x' }])
    expect(await findSession(token)).toBeNull()
    expect(await findSession(renewed ?? '')).toMatchObject({ user: { id: userId }, isReauthenticated: true })
    expect(await kindsOf(userId)).toEqual(['session.confirmed'])
  })

  test('does nothing with a wrong password, counts it, and never returns it', async () => {
    const { token } = await newSession()
    const { result } = await submit(token, { name: 'x', ownPassword: 'a wrong walk by the sea' })
    expect(result).toEqual({
      ok: false,
      error: {
        code: 'invalid_credentials',
        message: 'Incorrect password',
        fields: { ownPassword: ['Incorrect password'] },
      },
      values: { name: 'x' },
    })
    expect(calls).toEqual([])
    expect(await failuresOf(userId)).toBe(1)
    expect(await kindsOf(userId)).toEqual(['confirmation.failed'])
    expect(await findSession(token)).toMatchObject({ isReauthenticated: false })
  })

  test('asks for the password at its field if it is empty, and does not count that', async () => {
    const { token } = await newSession()
    const { result } = await submit(token, { name: 'x', ownPassword: '' })
    expect(result).toMatchObject({
      error: { code: 'reauth_required', fields: { ownPassword: ['Enter your password'] } },
    })
    expect(await failuresOf(userId)).toBe(0)
    expect(calls).toEqual([])
  })

  test('checks the password before the input', async () => {
    const { token } = await newSession()
    const { result } = await submit(token, { name: '', ownPassword: 'a wrong walk by the sea' })
    expect(result).toMatchObject({ error: { fields: { ownPassword: ['Incorrect password'] } } })
    const next = await submit(token, { name: '', ownPassword: password })
    expect(next.result).toMatchObject({ error: { code: 'invalid_input', fields: { name: ['Give it a name'] } } })
  })

  test('limits wrong passwords like the page that reauthenticates, also for the right one', async () => {
    const { token } = await newSession()
    for (let attempt = 0; attempt < 5; attempt++)
      expect((await submit(token, { name: 'x', ownPassword: 'wrong' })).result).toMatchObject({
        error: { code: 'invalid_credentials' },
      })
    for (const ownPassword of ['wrong', password])
      expect((await submit(token, { name: 'x', ownPassword })).result).toMatchObject({
        error: { code: 'rate_limited' },
      })
    expect(await failuresOf(userId)).toBe(5)
    expect(calls).toEqual([])
  })

  test('sends a user whose second factor is not a code to the page that asks for both, and does not check the password', async () => {
    modules.push({
      name: 'fake',
      title: 'Fake',
      secondFactor: async (id) => (id === userId ? { kind: 'totp', page: '/signin' } : null),
    })
    const { token } = await newSession()
    for (const ownPassword of [password, 'wrong'])
      expect((await submit(token, { name: 'x', ownPassword })).result).toEqual({
        ok: false,
        error: { code: 'reauth_required', message: 'Confirm it’s you to continue' },
        values: { name: 'x' },
      })
    expect(calls).toEqual([])
    expect(await failuresOf(userId)).toBe(0)
    expect(await kindsOf(userId)).toEqual([])
    expect(await findSession(token)).toMatchObject({ isReauthenticated: false })
  })

  describe('of a user with a code as second factor', () => {
    const verified: string[] = []
    beforeEach(() => {
      verified.length = 0
      const verifyCode = async (code: string) => {
        verified.push(code)
        if (code === 'busy') throw new AppError('rate_limited')
        if (code !== '123456') throw new AppError('invalid_credentials', 'Incorrect code')
      }
      const secondFactor = { kind: 'totp', page: '/signin' as const, verifyCode }
      modules.push({ name: 'fake', title: 'Fake', secondFactor: async (id) => (id === userId ? secondFactor : null) })
    })

    test('runs with password and code, and does not pass them on', async () => {
      const { token } = await newSession()
      const { result, token: renewed } = await submit(token, { name: 'x', ownPassword: password, ownCode: '123456' })
      expect(result).toEqual({ ok: true, data: { name: 'x' } })
      expect(await findSession(renewed ?? '')).toMatchObject({ isReauthenticated: true })
      expect(await kindsOf(userId)).toEqual(['session.confirmed'])
    })

    test('does nothing with one of them alone, and then checks neither', async () => {
      const { token } = await newSession()
      for (const [fields, missing] of [
        [{ ownPassword: password }, { ownCode: ['Enter the code'] }],
        [{ ownPassword: password, ownCode: '' }, { ownCode: ['Enter the code'] }],
        [{ ownPassword: '', ownCode: '123456' }, { ownPassword: ['Enter your password'] }],
        [{ ownPassword: 'wrong' }, { ownCode: ['Enter the code'] }],
      ] as const) {
        const { result } = await submit(token, { name: 'x', ...fields })
        expect(result).toMatchObject({ ok: false, error: { code: 'reauth_required', fields: missing } })
      }
      expect([calls, verified, await failuresOf(userId)]).toEqual([[], [], 0])
      expect(await findSession(token)).toMatchObject({ isReauthenticated: false })
    })

    test('does nothing with a wrong code, and says so at its field', async () => {
      const { token } = await newSession()
      const { result } = await submit(token, { name: 'x', ownPassword: password, ownCode: '654321' })
      expect(result).toEqual({
        ok: false,
        error: { code: 'invalid_credentials', message: 'Incorrect code', fields: { ownCode: ['Incorrect code'] } },
        values: { name: 'x' },
      })
      expect(calls).toEqual([])
      expect(await findSession(token)).toMatchObject({ isReauthenticated: false })
      const limited = await submit(token, { name: 'x', ownPassword: password, ownCode: 'busy' })
      expect(limited.result).toMatchObject({ error: { code: 'rate_limited' } })
    })

    test('does not check the code if the password is wrong', async () => {
      const { token } = await newSession()
      const { result } = await submit(token, { name: 'x', ownPassword: 'wrong', ownCode: '123456' })
      expect(result).toMatchObject({ error: { fields: { ownPassword: ['Incorrect password'] } } })
      expect([calls, verified, await failuresOf(userId)]).toEqual([[], [], 1])
    })
  })

  test('cannot be reauthenticated by a user without a password', async () => {
    await db.delete(passwords).where(eq(passwords.userId, userId))
    const { token } = await newSession()
    expect((await submit(token, { name: 'x', ownPassword: password })).result).toMatchObject({
      error: { code: 'invalid_credentials' },
    })
    expect(calls).toEqual([])
  })

  test('cannot be reauthenticated while impersonating, with the password of either', async () => {
    const editing = definePolicy({ 'things.edit': ['viewer', 'editor', 'admin'] })
    const edit = defineAction({
      input: z.object({}),
      allow: editing.can('things.edit'),
      isSensitive: true,
      run: async () => calls.push('ran'),
    })
    const own = await newSession({ minutes: 0 })
    const target = await newUser('viewer')
    const { token } = await newSession({ of: target, minutes: 0, impersonatorSessionId: own.id })
    const headers = { ...sameOrigin, cookie: `${appSlug}.session=${token}` }
    const result = await asRequest(headers, () => edit(null, form({ ownPassword: password })))
    expect(result).toMatchObject({ error: { code: 'forbidden' } })
    expect(calls).toEqual([])
    expect(await failuresOf(target)).toBe(0)
  })

  test('checks the permission before the password', async () => {
    const viewer = await newUser('viewer')
    const { token } = await newSession({ of: viewer })
    expect((await submit(token, { name: 'x', ownPassword: 'wrong' })).result).toMatchObject({
      error: { code: 'forbidden' },
    })
    expect(await failuresOf(viewer)).toBe(0)
  })

  test('rejects a password that is not text', async () => {
    const { token } = await newSession()
    const call = (ownPassword: unknown) =>
      asRequest({ ...sameOrigin, cookie: `${appSlug}.session=${token}` }, () =>
        remove({ name: 'x', ownPassword } as never),
      )
    for (const odd of [[password], { password }, null, 7, true])
      expect(await call(odd)).toMatchObject({ error: { code: 'reauth_required' } })
    expect(calls).toEqual([])
    expect(await call(password)).toMatchObject({ ok: true })
  })
})

test('an action without `allow` does not compile', () => {
  // @ts-expect-error: `allow` is missing
  defineAction({ input: z.object({}), run: async () => null })
  // @ts-expect-error: a boolean is not a permission
  defineAction({ input: z.object({}), allow: true, run: async () => null })
})
