import { callRoute, newSession, openPage } from './open-page.ts'

// The import above must come first: it mocks next/headers before any other module loads it.

import { NextRequest } from 'next/server'
import { beforeAll, expect, test } from 'vitest'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { formTargetsAtBuild } from '@/core/auth/oauth/provider-files'
import { db } from '@/core/db/client'
import { identities } from '@/core/db/schema'
import { proxy } from '@/proxy'

let user: Awaited<ReturnType<typeof newSession>>
let admin: Awaited<ReturnType<typeof newSession>>

beforeAll(async () => {
  user = await newSession('viewer')
  admin = await newSession('admin')
})

test('has a button with its logo where users sign in and sign up', async () => {
  for (const page of ['signin/page.tsx', 'signup/page.tsx']) {
    const html = await openPage(page)
    expect(html).toContain('name="provider" value="discord"')
    expect(html).toMatch(/<svg[^>]*>(?:(?!<\/svg>).)*M5 5h14a2 2 0 0 1 2 2v8.*?<\/svg>Continue with Discord/s)
  }
})

test('is a target of forms in the content security policy, also of pages that are built', async () => {
  const response = await proxy(new NextRequest('http://localhost:3000/signin'))
  expect(response.headers.get('content-security-policy')).toMatch(/form-action 'self'[^;]* https:\/\/discord\.com/)
  expect(formTargetsAtBuild).toContain('https://discord.com')
})

test('can be connected', async () => {
  expect(await openPage('(account)/account/connections/page.tsx', user.token)).toContain('href="/connect/discord"')
  const html = await openPage('connect/[provider]/page.tsx', user.token, { provider: 'discord' })
  expect(html).toContain('Connect Discord')
})

test('is named to admins and in the audit log', async () => {
  await db.insert(identities).values({ userId: user.id, provider: 'discord', providerAccountId: '1' })
  await recordAuditEvent(db, 'session.started', { actorId: user.id, targetId: user.id, details: { way: 'discord' } })
  await recordAuditEvent(db, 'provider.connected', {
    actorId: user.id,
    targetId: user.id,
    details: { provider: 'discord' },
  })
  const text = (await openPage('(admin)/admin/users/[id]/page.tsx', admin.token, { id: user.id })).replaceAll(
    /<[^>]+>/g,
    '',
  )
  expect(text).toContain('ConnectedDiscord')
  expect(text).toContain('signed in with Discord')
  expect(text).toContain('connected Discord')
})

test('is described by the API', async () => {
  const response = await callRoute('(docs)/api/openapi.json/route.ts', '/api/openapi.json')
  expect(await response.text()).toContain('"discord"')
})
