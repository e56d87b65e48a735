import { redirect } from 'next/navigation'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { asRequest } from '../../tests/support/next-headers'
import { signedInAs } from '../../tests/support/people'
import { defineAction, definePublicAction } from './action'
import { definePolicy, roles } from './auth/policy'
import { AppError } from './errors'

const { can } = definePolicy({ 'things.rename': ['admin'] })
const ours = { 'sec-fetch-site': 'same-origin' }

const rename = defineAction({
  input: z.object({ name: z.string().trim().min(1, 'Give it a name') }),
  allow: can('things.rename'),
  keep: ['name'],
  run: async ({ input, actor }) => ({ ...input, by: actor.role }),
})

const greet = definePublicAction({
  input: z.object({ name: z.string().min(1, 'Say who you are'), password: z.string().min(3, 'Too short') }),
  keep: ['name'],
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
  test('answers with data', async () => {
    expect(await asRequest(ours, () => greet({ name: 'Ada', password: 'abc' }))).toEqual({
      ok: true,
      data: 'Hello Ada',
    })
  })

  test('takes a form as well, and leaves the framework’s own fields out', async () => {
    const data = form({ name: 'Ada', password: 'abc', $ACTION_ID_1: 'x' })
    expect(await asRequest(ours, () => greet(null, data))).toEqual({ ok: true, data: 'Hello Ada' })
  })

  test('refuses with messages by field, and keeps what was typed but never the password', async () => {
    const answer = await asRequest(ours, () => greet(null, form({ name: 'Ada', password: 'ab' })))
    expect(answer).toMatchObject({ ok: false, error: { code: 'invalid_input', fields: { password: ['Too short'] } } })
    expect(answer).toHaveProperty('kept', { name: 'Ada' })
  })

  test('refuses with its own words', async () => {
    expect(await asRequest(ours, () => greet({ name: 'taken', password: 'abc' }))).toEqual({
      ok: false,
      error: { code: 'conflict', message: 'That name is taken' },
    })
  })

  test('keeps a bug to itself', async () => {
    const answer = await asRequest(ours, () => greet({ name: 'bug', password: 'abc' }))
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(JSON.stringify(answer)).not.toContain('passwords')
  })

  test('lets a redirect through', async () => {
    await expect(asRequest(ours, () => greet({ name: 'away', password: 'abc' }))).rejects.toThrow('NEXT_REDIRECT')
  })

  class Person {
    name = 'Ada'
    password = 'abc'
  }
  test.each([undefined, null, 'text', 7, [], { name: { $ne: null } }, new Map(), new Person()])(
    'refuses %j as input',
    async (input) => {
      expect(await asRequest(ours, () => greet(input as never))).toMatchObject({
        ok: false,
        error: { code: 'invalid_input' },
      })
    },
  )

  test.each([[[]], [[{ name: 'Ada', password: 'abc' }, null]], [[null, null, form({ name: 'Ada', password: 'abc' })]]])(
    'refuses any other number of arguments: %j',
    async (given) => {
      const call = greet as (...given: unknown[]) => Promise<unknown>
      expect(await asRequest(ours, () => call(...given))).toMatchObject({ error: { code: 'invalid_input' } })
    },
  )

  test.each<Record<string, string>>([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('refuses a request with the headers %j', async (headers) => {
    expect(await asRequest(headers, () => greet({ name: 'Ada', password: 'abc' }))).toMatchObject({
      error: { code: 'cross_site' },
    })
  })
})

describe('who may', () => {
  test('is refused to nobody', async () => {
    expect(await asRequest(ours, () => rename({ name: 'x' }))).toMatchObject({
      ok: false,
      error: { code: 'unauthenticated' },
    })
  })

  test.each(roles)('follows the table for %s', async (role) => {
    const headers = { ...ours, cookie: `plinth.session=${await signedInAs(role)}` }
    const answer = await asRequest(headers, () => rename({ name: 'x' }))
    expect(answer).toMatchObject(
      role === 'admin' ? { ok: true, data: { by: 'admin' } } : { ok: false, error: { code: 'forbidden' } },
    )
  })

  test('is decided before the input is looked at', async () => {
    const headers = { ...ours, cookie: `plinth.session=${await signedInAs('viewer')}` }
    expect(await asRequest(headers, () => rename({ name: '' }))).toMatchObject({ error: { code: 'forbidden' } })
  })
})

test('an action without `allow` does not compile', () => {
  // @ts-expect-error: `allow` is missing
  defineAction({ input: z.object({}), run: async () => null })
  // @ts-expect-error: a boolean is no permission
  defineAction({ input: z.object({}), allow: true, run: async () => null })
})
