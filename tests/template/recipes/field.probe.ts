import { callRoute, load, newSession, openPage } from './open-page.ts'

// The import above must come first: it mocks next/headers before any other module loads it.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, expect, test } from 'vitest'
import { renameUser } from '@/core/auth/user/rename'
import { db } from '@/core/db/client'
import { signups } from '@/core/db/schema'
import { root } from '../../../scripts/root.ts'
import { asRequest } from '../../app/support/next-headers.ts'

/** Without the folder, nothing may mention the field. */
const isThere = existsSync(join(root, 'src/app/(company)'))
const company = 'Ada & Söhne GmbH'
const asHtml = company.replace('&', '&amp;')

let user: Awaited<ReturnType<typeof newSession>>
let admin: Awaited<ReturnType<typeof newSession>>

beforeAll(async () => {
  user = await newSession('viewer')
  admin = await newSession('admin')
  await asRequest({}, () => renameUser(user.id, 'Ada', { company }))
})

/** Expects all of these in the text, or none if the folder is gone. */
function expectField(text: string, ...parts: string[]): void {
  expect(parts.map((part) => text.includes(part))).toEqual(parts.map(() => isThere))
}

test('is in the form for new users, and waits with their sign-up', async () => {
  expectField(await openPage('signup/page.tsx'), 'name="company"', 'autoComplete="organization"', '>Company</label>')
  const { signUp } = await load('signup/actions.ts')
  const input = { email: 'grace@example.com', name: 'Grace', password: 'a long walk by the sea', company }
  expect(await asRequest({ 'sec-fetch-site': 'same-origin' }, () => signUp(input))).toMatchObject({ ok: true })
  const rows = await db.select({ fields: signups.fields }).from(signups)
  expect(rows).toEqual([{ fields: isThere ? { company } : {} }])
})

test('is in the profile, with its value', async () => {
  expectField(await openPage('(account)/account/profile/page.tsx', user.token), 'name="company"', `value="${asHtml}"`)
})

test('is a column of the users table', async () => {
  expectField(await openPage('(admin)/admin/users/page.tsx', admin.token), 'Company', asHtml)
})

test('is on the page of a user', async () => {
  const html = await openPage('(admin)/admin/users/[id]/page.tsx', admin.token, { id: user.id })
  expectField(html, 'Company', asHtml)
})

test('is in the CSV', async () => {
  const csv = await callRoute('(admin)/api/admin/users/export/route.ts', '/api/admin/users/export', admin.token)
  expect(csv.status).toBe(200)
  expectField(await csv.text(), 'last seen,company', company)
})

test('is in the data export', async () => {
  const response = await callRoute('(account)/api/account/export/route.ts', '/api/account/export', user.token)
  expect(response.status).toBe(200)
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  expectField(strFromU8(files['profile.json'] ?? new Uint8Array()), '"company"', company)
})

test('is in the API and its description', async () => {
  const list = await callRoute('(admin)/api/demo/admin/users/route.ts', '/api/demo/admin/users', admin.token)
  expect(list.status).toBe(200)
  expectField(await list.text(), `"company":"${company}"`)
  const document = await callRoute('(docs)/api/openapi.json/route.ts', '/api/openapi.json')
  expectField(await document.text(), '"company"')
})
