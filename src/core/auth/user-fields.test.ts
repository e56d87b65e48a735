import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { modules } from '@/modules'
import { db } from '../db/client'
import { inTransaction } from '../db/in-transaction'
import { signups } from '../db/schema'
import type { UserField } from '../module'
import { requestSignUp } from './flows/sign-up'
import {
  loadUserFields,
  pickUserFields,
  saveUserFields,
  userFieldInputs,
  userFieldNames,
  userFieldsIn,
} from './user-fields'

const ada = 'dc4a3e29-8c7f-4f5a-9b3e-000000000001'
const grace = 'dc4a3e29-8c7f-4f5a-9b3e-000000000002'
const stored = new Map<string, string>()

const company: UserField = {
  name: 'company',
  label: 'Company',
  schema: z.string().trim().max(10, 'Use up to 10 characters'),
  in: ['signup', 'profile', 'admin.list'],
  load: async (userIds) => new Map([...stored].filter(([id]) => userIds.includes(id))),
  save: async (_tx, userId, value) => void stored.set(userId, value),
}
const motto: UserField = { ...company, name: 'motto', label: 'Motto', in: ['admin.user'] }

// Without the modules of this app, which may have fields as well.
let others: typeof modules
beforeEach(() => {
  others = modules.splice(0, modules.length, { name: 'company', title: 'Company', userFields: [company, motto] })
})
afterEach(() => {
  modules.splice(0, modules.length, ...others)
  stored.clear()
})

const save = (input: object, place: 'signup' | 'profile' = 'profile') =>
  inTransaction((tx) => saveUserFields(tx, ada, place, input))

describe('the fields of a user', () => {
  test('exist as long as their module does', () => {
    expect(userFieldsIn().map(({ name }) => name)).toEqual(['company', 'motto'])
    expect(userFieldNames('profile')).toEqual(['company'])
    expect(Object.keys(userFieldInputs('signup'))).toEqual(['company'])
    modules.pop()
    expect(userFieldsIn()).toEqual([])
    expect(userFieldInputs('signup')).toEqual({})
  })

  test('are validated by their schema, and hold only what PostgreSQL can store', () => {
    const input = z.object(userFieldInputs('profile'))
    expect(input.parse({ company: '  Acme ', motto: 'x', role: 'admin' })).toEqual({ company: 'Acme' })
    expect(input.parse({})).toEqual({})
    for (const value of ['a'.repeat(11), 'a\0', '\ud800', 1, ['Acme'], null])
      expect(input.safeParse({ company: value }).success, JSON.stringify(value)).toBe(false)
  })

  test('are saved where they are shown, and nowhere else', async () => {
    await save({ company: ' Acme ' })
    expect(stored.get(ada)).toBe('Acme')
    await save({ motto: 'Onwards' })
    expect(stored.get(ada)).toBe('Acme')
    await save({ company: '' }, 'signup')
    expect(stored.get(ada)).toBe('')
  })

  test('are loaded for many users at once; null is what a user has not filled in', async () => {
    stored.set(ada, 'Acme')
    const values = await loadUserFields(userFieldsIn('admin.list'), [ada, grace])
    expect(Object.fromEntries(values)).toEqual({ [ada]: { company: 'Acme' }, [grace]: { company: null } })
    expect(await loadUserFields([], [ada])).toEqual(new Map())
  })

  test('wait with a sign-up until the email is verified', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const fields = pickUserFields('signup', { company: 'Acme', motto: 'x', email })
    expect(fields).toEqual({ company: 'Acme' })
    await asRequest({}, () => requestSignUp({ email, name: 'Ada', password: 'a long walk by the sea', fields }))
    const rows = await db.select({ fields: signups.fields }).from(signups).where(eq(signups.email, email))
    expect(rows).toEqual([{ fields: { company: 'Acme' } }])
    expect(stored.size).toBe(0)
  })
})
