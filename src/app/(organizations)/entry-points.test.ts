import { eq, type SQL, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { sessionCookieName } from '@/core/auth/session/settings'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { db } from '@/core/db/client'
import { sessions } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import {
  inviteMembers,
  leaveOrganization,
  resendMemberInvitation,
  revokeMemberInvitation,
  updateOrganization,
} from './actions'
import { GET } from './api/o/[scope]/members/route'
import {
  addMember,
  newOrganization,
  newUser,
  rolesIn,
  type TestOrganization,
  type TestUser,
} from './test-organizations'

// There is no page to render again.
vi.mock('next/cache', () => ({ refresh: () => {} }))

let acme: TestOrganization
let callers: Record<'nobody' | 'outsider' | 'viewer' | 'editor' | 'admin', string | null>

async function newSession(user: TestUser): Promise<string> {
  const token = newToken()
  await db.insert(sessions).values({ userId: user.id, tokenHash: hashToken(token) })
  return token
}

beforeAll(async () => {
  // The role in the app is the opposite of the role in the organization: only the latter may count.
  const [admin, editor, viewer, outsider] = await Promise.all([
    newUser(),
    newUser(),
    newUser('admin'),
    newUser('admin'),
  ])
  acme = await newOrganization(admin)
  await addMember(acme, editor, 'editor')
  await addMember(acme, viewer, 'viewer')
  callers = {
    nobody: null,
    outsider: await newSession(outsider),
    viewer: await newSession(viewer),
    editor: await newSession(editor),
    admin: await newSession(admin),
  }
})
type Caller = keyof typeof callers

async function get(caller: Caller, scope: string): Promise<{ status: number; code?: string; title?: string }> {
  const token = callers[caller]
  const request = new Request(`http://localhost:3000/api/o/${scope}/members`, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  })
  const response = await GET(request, { params: Promise.resolve({ scope }) })
  const { code, title, detail } = await response.json()
  return { status: response.status, ...(code && { code, title, detail }) }
}

type TestAction = () => Promise<{ ok: boolean; error?: { code: string } }>

/** The code of the error, or `done`. An action that succeeds ends with a redirect. */
async function callAs(token: string | null, action: TestAction): Promise<string> {
  const headers = { 'sec-fetch-site': 'same-origin', ...(token && { cookie: `${sessionCookieName()}=${token}` }) }
  return asRequest(headers, action).then(
    (result) => result.error?.code ?? 'done',
    (error) => (String(error.digest).startsWith('NEXT_REDIRECT') ? 'done' : Promise.reject(error)),
  )
}

const call = (caller: Caller, action: TestAction) => callAs(callers[caller], action)

describe('a handler in an organization', () => {
  test.each([
    ['nobody', 401],
    ['outsider', 404],
    ['viewer', 200],
    ['editor', 200],
    ['admin', 200],
  ] as const)('responds to %s with %i', async (caller, status) => {
    expect((await get(caller, acme.slug)).status).toBe(status)
    // By its id as well.
    expect((await get(caller, acme.id)).status).toBe(status)
  })

  test('responds to outsiders as for an organization that does not exist', async () => {
    const missing = await get('outsider', 'no-such-organization')
    expect(await get('outsider', acme.slug)).toEqual(missing)
    expect(await get('outsider', `${acme.slug}'; --`)).toEqual(missing)
    expect(await get('outsider', 'x'.repeat(500))).toEqual(missing)
  })
})

describe('an action in an organization', () => {
  test.each([
    ['nobody', 'unauthenticated'],
    ['outsider', 'not_found'],
    ['viewer', 'forbidden'],
    ['editor', 'forbidden'],
    ['admin', 'done'],
  ] as const)('returns for %s: %s', async (caller, code) => {
    const emails = `${crypto.randomUUID()}@example.com`
    expect(await call(caller, () => inviteMembers({ scope: acme.slug, emails, role: 'viewer' }))).toBe(code)
  })

  test.each([
    ['inviteMembers', () => inviteMembers({ scope: acme.slug, emails: 'a@example.com', role: 'viewer' })],
    ['resendMemberInvitation', () => resendMemberInvitation({ scope: acme.slug, id: crypto.randomUUID() })],
    ['revokeMemberInvitation', () => revokeMemberInvitation({ scope: acme.slug, id: crypto.randomUUID() })],
  ])('%s requires that the admin has reauthenticated', async (_, action) => {
    const tokenHash = hashToken(callers.admin ?? '')
    const at = (time: SQL) =>
      db.update(sessions).set({ reauthenticatedAt: time }).where(eq(sessions.tokenHash, tokenHash))
    await at(sql`now() - interval '2 hours'`)
    expect(await call('admin', action)).toBe('reauth_required')
    await at(sql`now()`)
    expect(await call('admin', action)).not.toBe('reauth_required')
  })

  test('cannot leave for the user whom an admin of the app impersonates', async () => {
    const [root, user] = await Promise.all([newUser('admin'), newUser()])
    const organization = await newOrganization(await newUser())
    await addMember(organization, user, 'viewer')
    const own = hashToken(await newSession(root))
    const [session] = await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.tokenHash, own))
    const token = await newSession(user)
    await db
      .update(sessions)
      .set({ impersonatorSessionId: session?.id })
      .where(eq(sessions.tokenHash, hashToken(token)))
    expect(await callAs(token, () => leaveOrganization({ scope: organization.slug }))).toBe('forbidden')
    expect((await rolesIn(organization))[user.id]).toBe('viewer')
  })

  test('is not found without a scope, or with one that is no text', async () => {
    const input = { emails: 'a@example.com', role: 'viewer' as const }
    for (const scope of [undefined, '', ['acme'], { slug: acme.slug }, null, 1])
      expect(await call('admin', () => inviteMembers({ ...input, scope } as never)), String(scope)).toBe('not_found')
  })

  test('takes the scope from a form, too, and never from another organization that the caller names elsewhere', async () => {
    const form = new FormData()
    form.set('scope', acme.slug)
    form.set('name', 'Acme')
    form.set('slug', acme.slug)
    expect(await call('admin', () => updateOrganization(null, form))).toBe('done')
    expect(await call('viewer', () => leaveOrganization({ scope: acme.slug }))).toBe('done')
    expect(Object.values(await rolesIn(acme)).sort()).toEqual(['admin', 'editor'])
  })
})
