import { callRoute, load, openPage } from './open-page.ts'

// The import above must come first: it mocks next/headers before any other module loads it.

import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, test, vi } from 'vitest'
import { sessionCookieName } from '@/core/auth/session/settings'
import { pool } from '@/core/db/client'
import { findWallProblem } from '@/core/db/scope-wall'
import { appScopeId } from '@/core/scope'
import { tenantTables } from '@/tenant-tables'
import { asRequest } from '../../app/support/next-headers.ts'
import { uncheckedDb } from '../../app/support/unchecked-db.ts'

vi.mock('next/cache', () => ({ refresh: () => {} }))

interface ProbeUser {
  id: string
  token: string
}
interface Organization {
  id: string
  slug: string
}
let [ada, grace, mallory]: ProbeUser[] = []
let [acme, other]: Organization[] = []

// biome-ignore lint/suspicious/noExplicitAny: the support of a module, which is loaded by its path
let support: any
async function newUser(role: string): Promise<ProbeUser> {
  const user = await support.newUser(role)
  const token = randomBytes(32).toString('base64url')
  await uncheckedDb.execute(
    sql`insert into sessions (user_id, token_hash) values (${user.id}, ${createHash('sha256').update(token).digest()})`,
  )
  return { ...user, token }
}

beforeAll(async () => {
  support = await load('(organizations)/test-organizations.ts')
  ;[ada, grace] = [await newUser('viewer'), await newUser('viewer')]
  mallory = await newUser('admin')
  ;[acme, other] = [await support.newOrganization(ada), await support.newOrganization(mallory)]
  await support.addMember(acme, grace, 'viewer')
})

/** The code of the error, or where the action leads. */
async function addNote(by: ProbeUser | undefined, text: string, organization?: Organization): Promise<string> {
  const { addNote: action } = await load('(notes)/actions.ts')
  const headers = { 'sec-fetch-site': 'same-origin', cookie: `${sessionCookieName()}=${by?.token}` }
  const input = { text, ...(organization && { scope: organization.slug }) }
  return asRequest(headers, () => action(input)).then(
    (result: { error?: { code: string } }) => result.error?.code ?? 'ok',
    (error: { digest?: string }) => String(error.digest).split(';')[2] ?? '',
  )
}
const inApp = (by: ProbeUser | undefined) => openPage('(notes)/notes/page.tsx', by?.token)
const inOrganization = (by: ProbeUser | undefined, organization = acme) =>
  openPage('(notes)/o/[scope]/notes/page.tsx', by?.token, { scope: organization?.slug ?? '' })

test('a note of an organization is listed there, and nowhere else', async () => {
  expect(await addNote(ada, 'the plan of acme', acme)).toBe(`/o/${acme?.slug}/notes`)
  expect(await addNote(mallory, 'the plan of the other', other)).toBe(`/o/${other?.slug}/notes`)
  expect(await addNote(mallory, 'the plan of the app')).toBe('/notes')
  for (const [page, expected] of [
    [await inOrganization(ada), 'the plan of acme'],
    [await inOrganization(grace), 'the plan of acme'],
    [await inOrganization(mallory, other), 'the plan of the other'],
    [await inApp(grace), 'the plan of the app'],
  ] as const)
    expect(page.match(/the plan of (acme|the other|the app)/g)).toEqual([expected])
  const api = await callRoute('(notes)/api/notes/route.ts', '/api/notes', grace?.token)
  expect((await api.json()).notes.map(({ text }: { text: string }) => text)).toEqual(['the plan of the app'])
})

test('its form names the organization, and the sidebar leads to its notes', async () => {
  const page = await inOrganization(ada)
  expect(page).toContain(`name="scope" value="${acme?.slug}"`)
  expect(page).toContain(`href="/o/${acme?.slug}/notes"`)
  expect(await inOrganization(grace)).not.toContain('A new note')
})

test('neither outsiders nor members below the role can write, whatever their role in the app is', async () => {
  expect(await addNote(grace, 'no', acme)).toBe('forbidden')
  expect(await addNote(mallory, 'no', acme)).toBe('not_found')
  await expect(inOrganization(mallory)).rejects.toMatchObject({ digest: expect.stringContaining('404') })
})

test('row-level security covers the table, and rows from before belong to the app', async () => {
  expect(tenantTables).toContain('notes_notes')
  expect(await findWallProblem(pool, tenantTables)).toBeNull()
  const { rows } = await uncheckedDb.execute(
    sql`insert into notes_notes (text, author_id) values ('before', ${ada?.id}) returning scope_id`,
  )
  expect(rows).toEqual([{ scope_id: appScopeId }])
})

test('the export of a user has their notes of all organizations', async () => {
  const { findNotesOf } = await load('(notes)/find-notes.ts')
  expect((await findNotesOf(mallory?.id)).map(({ text }: { text: string }) => text)).toEqual([
    'the plan of the app',
    'the plan of the other',
  ])
})
