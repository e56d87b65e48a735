import { loadPage } from '../../../tests/app/support/load-page'

// The import above must come first: it prepares what a request needs.

import { createHash, randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { sessionCookieName } from '@/core/auth/session/settings'
import { db } from '@/core/db/client'
import { sessions } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb } from '../../../tests/app/support/unchecked-db'
import { createToken } from './invitation-email'
import { inviteMembers, listInvitations } from './invitations'
import { invitations } from './schema'
import { actIn, addMember, newOrganization, newUser, type TestOrganization, type TestUser } from './test-organizations'

// biome-ignore lint/suspicious/noExplicitAny: pages have different props
const pages = import.meta.glob<{ default: any }>('/src/app/*/**/page.tsx')
/** The pages of organizations, also those of other modules. */
const inOrganization = Object.keys(pages).filter((file) => file.includes('/o/[scope]/'))

let acme: TestOrganization
let callers: Record<'admin' | 'viewer' | 'outsider', Record<string, string>>
let ids: { member: string; invitation: string }

async function headersOf(user: TestUser): Promise<Record<string, string>> {
  const token = randomBytes(32).toString('base64url')
  await db.insert(sessions).values({ userId: user.id, tokenHash: createHash('sha256').update(token).digest() })
  return { cookie: `${sessionCookieName()}=${token}` }
}

beforeAll(async () => {
  const [admin, viewer, outsider] = [await newUser(), await newUser(), await newUser('admin')]
  acme = await newOrganization(admin)
  await addMember(acme, viewer, 'viewer')
  callers = { admin: await headersOf(admin), viewer: await headersOf(viewer), outsider: await headersOf(outsider) }
  const asAdmin = actIn(admin, acme, 'admin')
  await asRequest({}, () => inviteMembers(asAdmin, 'invited@example.com', 'viewer'))
  ids = { member: viewer.id, invitation: (await listInvitations(asAdmin))[0]?.id ?? '' }
})

/** `shown`, or the digest that Next responds to: a redirect or 404. */
async function open(file: string, caller: keyof typeof callers, scope = acme.slug): Promise<string> {
  const page = await pages[file]?.()
  const id = file.includes('/invited/') ? ids.invitation : ids.member
  return loadPage(callers[caller], [page?.default], { scope, id, number: '1' }).then(
    () => 'shown',
    (error) => String(error.digest ?? error),
  )
}
const notFound = 'NEXT_HTTP_ERROR_FALLBACK;404'

test.each(inOrganization)('%s is 404 for outsiders, as in an organization that does not exist', async (file) => {
  expect(await open(file, 'outsider')).toBe(notFound)
  expect(await open(file, 'outsider', 'no-such-organization')).toBe(notFound)
})

test.each(inOrganization.filter((file) => !/\/content\/(?!page)/.test(file)))('%s opens for an admin', async (file) => {
  expect(await open(file, 'admin')).toMatch(/^shown$|^NEXT_REDIRECT;/)
  // The id leads to the slug.
  expect(await open(file, 'admin', acme.id)).toMatch(new RegExp(`^NEXT_REDIRECT;[^;]*;/o/${acme.slug}`))
})

test('an invitation offers sign-up only while it is open, and switching the account returns to it', async () => {
  const [row] = await uncheckedDb
    .select({ id: invitations.id, sentAt: invitations.sentAt })
    .from(invitations)
    .where(eq(invitations.id, ids.invitation))
  const created = await acrossScopes('a test', () => createToken(ids.invitation, row?.sentAt.toISOString() ?? ''))
  const { default: JoinPage } = (await pages['/src/app/(organizations)/organizations/join/[token]/page.tsx']?.()) ?? {}
  const path = `/organizations/join/${created?.token}`
  const props = { params: Promise.resolve({ token: created?.token }) }
  const shown = async (headers: Record<string, string>) =>
    JSON.stringify(await asRequest(headers, () => JoinPage(props)))
  const signIn = `/signin?callbackUrl=${encodeURIComponent(path)}`
  expect(await shown({})).toContain('"/signup"')
  process.env.AUTH_SIGNUP = 'invite'
  const closed = await shown({})
  delete process.env.AUTH_SIGNUP
  expect(closed).not.toContain('/signup')
  expect(closed).toContain(signIn)
  expect(await shown(callers.outsider)).toContain(`/api/auth/signout?callbackUrl=${encodeURIComponent(signIn)}`)
})

const forAdmins = inOrganization.filter((file) =>
  /members\/(invite|\[id\])|settings\/(transfer|delete)|audit/.test(file),
)
test.each(forAdmins)('%s is 404 for a viewer', async (file) => {
  expect(await open(file, 'viewer')).toBe(notFound)
})

const others = Object.keys(pages).filter((file) => /^\/src\/app\/\(organizations\)\/(organizations|admin)\//.test(file))
test.each(others.filter((file) => !file.includes('[')))('%s opens', async (file) => {
  expect(await open(file, 'outsider')).toBe('shown')
  if (file.includes('/admin/')) expect(await open(file, 'admin')).toBe(notFound)
})
