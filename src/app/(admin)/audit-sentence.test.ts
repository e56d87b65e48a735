import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createElement, Fragment, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { findSentence } from '@/core/audit/find-sentence'
import { coreSentences } from '@/core/audit/sentences'
import type { ModuleUi } from '@/core/module-ui'
import { timeFormatFor } from '@/core/time/time-format'
import { root } from '../../../scripts/root.ts'
import type { AuditEvent } from './audit'
import { groupKinds, sayEvent } from './audit-sentence'

const times = timeFormatFor()
const [ada, grace, post] = Array.from({ length: 3 }, () => crypto.randomUUID()) as [string, string, string]

/** An event by Ada for Grace, unless `given` says otherwise. */
const eventOf = (kind: string, given: Partial<AuditEvent> = {}): AuditEvent => ({
  id: 1,
  at: new Date('2031-01-01T12:00:00Z'),
  kind,
  details: null,
  ip: null,
  userAgent: null,
  actorId: ada,
  actorName: 'ada',
  targetId: grace,
  targetName: 'Grace',
  impersonatorId: null,
  impersonatorName: null,
  scopeId: null,
  scopeName: null,
  ...given,
})

const toText = (node: ReactNode) => renderToStaticMarkup(createElement(Fragment, null, node)).replaceAll(/<[^>]+>/g, '')

const say = (event: AuditEvent, { count = 1, isOnUserPage = false } = {}) =>
  toText(sayEvent(event, { canSeeUsers: false, subjects: new Map(), isOnUserPage }, count))

const self = { targetId: ada, targetName: 'ada' }
const noTarget = { targetId: null, targetName: null }
const noActor = { actorId: null, actorName: null }
const nobody = { ...noActor, ...noTarget }

/** Every sentence. Details are as the code records them. */
const examples: [kind: string, given: Partial<AuditEvent>, sentence: string, note?: string][] = [
  ['session.started', { ...self, details: { way: 'password' } }, 'ada signed in with a password'],
  ['session.started', { ...self, details: { way: 'github' } }, 'ada signed in with GitHub'],
  ['session.started', { ...self, details: { way: 'email_code' } }, 'ada signed in with a code or link by email'],
  ['session.started', { ...self, details: { way: 'totp' } }, 'ada signed in with a password and a code'],
  ['session.started', self, 'ada signed in'],
  [
    'signin.failed',
    { ...noActor, details: { reason: 'wrong_password' } },
    'Failed sign-in attempt for Grace',
    'Wrong password',
  ],
  ['signin.failed', { ...nobody, details: { reason: 'unknown' } }, 'Failed sign-in attempt', 'Unknown email'],
  [
    'signin.failed',
    { ...nobody, details: { reason: 'provider', provider: 'google', error: '400' } },
    'Failed sign-in attempt',
    'Through Google',
  ],
  ['session.ended', self, 'ada signed out'],
  ['session.revoked', { ...self, details: { count: 2 } }, 'ada signed out 2 other sessions'],
  ['session.revoked', { details: { count: 1 } }, 'ada signed Grace out of 1 session'],
  ['session.revoked', { details: { count: 3 } }, 'ada signed Grace out everywhere (3 sessions)'],
  ['session.confirmed', noTarget, 'ada confirmed their identity'],
  ['confirmation.failed', noTarget, 'Failed identity check by ada'],
  [
    'confirmation.failed',
    { ...noTarget, details: { reason: 'wrong_code' } },
    'Failed identity check by ada',
    'Wrong code',
  ],
  ['password.changed', { ...self, details: { way: 'change' } }, 'ada changed their password'],
  ['password.changed', { ...self, details: { way: 'first' } }, 'ada set a password'],
  [
    'password.changed',
    { ...noActor, details: { way: 'reset', removed: 1 } },
    'Grace reset their password',
    '1 older sign-in method removed',
  ],
  ['password.reset_sent', {}, 'ada sent Grace a password reset'],
  [
    'password.locked',
    { ...noActor, details: { isEverywhere: false } },
    'Password of Grace locked after 100 failed attempts',
    'Still works on devices they have used before',
  ],
  [
    'password.locked',
    { ...noActor, details: { isEverywhere: true } },
    'Password of Grace locked after 120 failed attempts',
  ],
  ['provider.connected', { ...self, details: { provider: 'google' } }, 'ada connected Google'],
  ['provider.disconnected', { ...self, details: { provider: 'github' } }, 'ada disconnected GitHub'],
  [
    'alarm.raised',
    { ...noActor, details: { isAddressRestored: true } },
    'Grace used “Secure my account” to lock everyone out',
    'Former email restored',
  ],
  ['person.joined', { ...self, details: { way: 'invitation', role: 'editor' } }, 'ada joined by invitation'],
  ['person.joined', { ...self, details: { way: 'google' } }, 'ada joined with Google'],
  [
    'person.joined',
    { ...noActor, details: { way: 'command', role: 'admin' } },
    'Grace was added from the command line',
  ],
  ['person.joined', { details: { way: 'import', role: 'viewer', import: post } }, 'ada imported Grace'],
  [
    'person.joined',
    { ...noActor, details: { way: 'import', role: 'viewer', import: post } },
    'Grace was imported from the command line',
  ],
  ['person.exported', self, 'ada exported their data'],
  ['person.suspended', {}, 'ada suspended Grace'],
  ['person.restored', {}, 'ada restored Grace'],
  ['person.deleted', { targetName: null }, 'ada deleted a user'],
  ['person.deleted', { actorName: null, targetId: ada, targetName: null }, 'A user deleted their account'],
  ['role.changed', { details: { from: 'viewer', to: 'editor' } }, 'ada changed Grace’s role from Viewer to Editor'],
  [
    'role.changed',
    { ...self, details: { from: 'admin', to: 'viewer' } },
    'ada changed their role from Admin to Viewer',
  ],
  [
    'role.changed',
    { ...noActor, details: { role: 'admin', way: 'ADMIN_EMAIL' } },
    'Grace became Admin by the setting ADMIN_EMAIL',
  ],
  ['impersonation.started', {}, 'ada started impersonating Grace'],
  ['impersonation.ended', {}, 'ada stopped impersonating Grace'],
  ['invitation.sent', { ...noTarget, details: { count: 3, role: 'editor' } }, 'ada invited 3 users as Editor'],
  ['invitation.sent', { ...noTarget, details: { count: 1, role: 'viewer' } }, 'ada invited 1 user as Viewer'],
  ['invitation.revoked', noTarget, 'ada revoked an invitation'],
  ['users.listed', { ...noTarget, details: { count: 25 } }, 'ada viewed users', '25 results'],
  [
    'users.listed',
    { ...noTarget, details: { count: 1, role: 'editor', status: 'suspended', isSearch: true } },
    'ada searched users',
    'Role Editor · Suspended · Search · 1 result',
  ],
  [
    'users.listed',
    { ...noTarget, details: { count: 2, role: 'viewer, editor', seen: 'week' } },
    'ada viewed users',
    'Role Viewer, Editor · Last active: last 7 days · 2 results',
  ],
  ['users.exported', { ...noTarget, details: {} }, 'ada exported users', 'All users'],
  ['users.exported', { ...noTarget, details: { seen: 'never' } }, 'ada exported users', 'Last active: never'],
  ['audit.exported', { ...noTarget, details: {} }, 'ada exported the audit log', 'All events'],
  [
    'audit.exported',
    { ...noTarget, details: { kind: 'role.changed', from: '2026-11-01', to: '2026-11-19', isSearch: true } },
    'ada exported the audit log',
    'One kind of event · From 2026-11-01 · To 2026-11-19 · Search',
  ],
  [
    'users.import_started',
    { ...noTarget, details: { import: post, count: 1_203, admin: 2, editor: 1, viewer: 1_200 } },
    'ada started to import 1,203 users',
    '2 admins · 1 editor · 1,200 viewers',
  ],
  [
    'users.import_started',
    { ...nobody, details: { import: post, count: 1, admin: 0, editor: 0, viewer: 1 } },
    'An import of 1 user was started from the command line',
    '1 viewer',
  ],
  [
    'users.imported',
    { ...noTarget, details: { import: post, count: 1_200, invited: 3, skipped: 1 } },
    'ada imported 1,200 users',
    '3 invited · 1 skipped',
  ],
  [
    'users.imported',
    { ...nobody, details: { import: post, count: 1, invited: 0, skipped: 0, isCanceled: true } },
    '1 user was imported',
    'Canceled',
  ],
  ['two_step.on', self, 'ada turned on two-factor authentication'],
  ['two_step.off', self, 'ada turned off two-factor authentication'],
  ['two_step.off', {}, 'ada turned off two-factor authentication for Grace'],
  [
    'two_step.off',
    { ...noActor, details: { way: 'alarm' } },
    'Two-factor authentication of Grace was turned off after “Secure my account” was used',
  ],
  ['two_step.codes', self, 'ada generated new recovery codes'],
  [
    'two_step.removal_scheduled',
    noActor,
    'Two-factor authentication of Grace will be turned off in 72 hours',
    'After “Secure my account” was used',
  ],
  ['two_step.removal_canceled', self, 'ada used two-factor authentication, so it stays on'],
  ['passkey.added', self, 'ada added a passkey'],
  ['passkey.removed', self, 'ada removed a passkey'],
  ['email_code.requested', { ...noActor, details: { isKnown: true } }, 'Sign-in code requested for Grace'],
  ['email_code.requested', { ...nobody, details: { isKnown: false } }, 'Sign-in code requested', 'Unknown email'],
  [
    'email_code.locked',
    noActor,
    'Email codes of Grace locked after 100 wrong codes',
    'Links still work in the browser that asked for them',
  ],
  ['email.change_requested', self, 'ada asked to change their email'],
  ['email.changed', self, 'ada changed their email'],
  [
    'api_token.created',
    { ...self, details: { tokenId: post, role: 'viewer', days: 30 } },
    'ada created an API token (Viewer, 30 days)',
  ],
  ['api_token.revoked', { ...self, details: { tokenId: post } }, 'ada revoked an API token'],
  ['post.created', { ...noTarget, details: { post } }, 'ada created a post'],
  ['post.published', { ...noTarget, details: { post, number: 3 } }, 'ada published a post (version 3)'],
  ['post.published', { ...nobody, details: { post, number: 3 } }, 'A post was published as scheduled (version 3)'],
  [
    'post.scheduled',
    { ...noTarget, details: { post, number: 3, at: '2031-01-02T09:30:00.000Z' } },
    'ada scheduled a post (version 3)',
    'Jan 2, 2031, 09:30:00 UTC',
  ],
  ['post.unscheduled', { ...noTarget, details: { post } }, 'ada unscheduled a post'],
  ['post.unscheduled', { details: { post } }, 'A post was unscheduled because Grace can no longer publish'],
  [
    'post.unscheduled',
    { ...nobody, details: { post, reason: 'may not publish' } },
    'A post was unscheduled because the user who scheduled it can no longer publish',
  ],
  ['post.unpublished', { ...noTarget, details: { post } }, 'ada unpublished a post'],
  ['post.deleted', { ...noTarget, details: { post } }, 'ada deleted a post'],
  ['image.uploaded', { ...noTarget, details: { image: post } }, 'ada uploaded an image'],
  ['image.replaced', { ...noTarget, details: { image: post } }, 'ada replaced an image'],
  ['image.deleted', { ...noTarget, details: { image: post } }, 'ada deleted an image'],
  [
    'image.deleted',
    { ...nobody, details: { image: post, reason: 'unused' } },
    'An image that no post used was deleted',
  ],
  ['preview.created', { ...noTarget, details: { post } }, 'ada created a preview link for a post'],
  ['preview.revoked', { ...self, details: { post } }, 'ada revoked a preview link for a post'],
  ['preview.revoked', { ...noActor, details: { post } }, 'A preview link for a post was revoked'],
  ['organization.created', noTarget, 'ada created the organization'],
  [
    'organization.renamed',
    { ...noTarget, details: { isNameChanged: true } },
    'ada changed the name of the organization',
  ],
  [
    'organization.renamed',
    { ...noTarget, details: { isNameChanged: false } },
    'ada changed the slug of the organization',
  ],
  ['organization.logo_changed', noTarget, 'ada changed the logo'],
  ['organization.transferred', {}, 'ada transferred the organization to Grace'],
  ['organization.deleted', noTarget, 'ada deleted the organization'],
  ['member.invited', { ...noTarget, details: { count: 3, role: 'editor' } }, 'ada invited 3 users as Editor'],
  ['member.invitation_revoked', noTarget, 'ada revoked an invitation'],
  ['member.joined', { ...self, details: { role: 'editor' } }, 'ada joined as Editor'],
  [
    'member.role_changed',
    { details: { from: 'editor', to: 'admin' } },
    'ada changed Grace’s role from Editor to Admin',
  ],
  [
    'member.role_changed',
    { ...self, details: { from: 'admin', to: 'viewer' } },
    'ada changed their own role from Admin to Viewer',
  ],
  ['member.appointed', {}, 'ada made Grace an admin of the organization'],
  ['member.removed', {}, 'ada removed Grace'],
  ['member.left', self, 'ada left'],
]

const uis = import.meta.glob<{ default: ModuleUi }>('/src/app/*/ui.tsx', { eager: true })
const kindsOf = (module: string) => Object.keys(uis[`/src/app/${module}/ui.tsx`]?.default.audit ?? {})
const installedKinds = new Set(
  [coreSentences, ...Object.values(uis).map((ui) => ui.default.audit ?? {})].flatMap(Object.keys),
)
/** Modules can be removed one by one. */
const installed = examples.filter(([kind]) => installedKinds.has(kind))

test.each(installed)('%s is told as a sentence', (kind, given, sentence, note) => {
  const event = eventOf(kind, given)
  expect(say(event)).toBe(sentence)
  expect(findSentence(kind).note?.(event.details ?? {}, times) ?? undefined).toBe(note)
})

describe('every kind', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))
    .filter((file) => !/^src\/app\/\((?!(account|admin|content|docs|email-code|landing|organizations)\))/.test(file))
  const inSources = (pattern: RegExp) =>
    sources.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, name = '']) => ({ file, name })),
    )
  const recorded = inSources(
    /\b(?:recordAuditEvent\(\s*(?:tx|db),|auditEventSql\()\s*['`]([a-z_]+\.[^'`]+)['`]/g,
  ).flatMap(({ file, name }) =>
    name.startsWith('two_step.$')
      ? ['on', 'off', 'codes'].map((event) => ({ file, kind: `two_step.${event}` }))
      : [{ file, kind: name }],
  )

  test('that the code records has a sentence, of core or of the module that records it', () => {
    const calls = inSources(/(?<!function )\b(recordAuditEvent\(|auditEventSql\()/g)
    expect(calls.length).toBe(recorded.length - (kindsOf('(account)').length && 2))
    expect(recorded.length).toBeGreaterThan(15)
    for (const { file, kind } of recorded) {
      const module = /^src\/app\/(\([a-z-]+\))\//.exec(file)?.[1]
      const known = [...Object.keys(coreSentences), ...(module ? kindsOf(module) : [])]
      expect(known, `${kind} in ${file}`).toContain(kind)
    }
  })

  test('with a sentence is recorded, and has an example above', () => {
    const kinds = new Set(recorded.map(({ kind }) => kind))
    // More than one module records it.
    const shared = ['session.revoked']
    for (const kind of installedKinds) {
      expect([...kinds, ...shared]).toContain(kind)
      expect(examples.map(([example]) => example)).toContain(kind)
    }
  })

  test('has a name of its own', () => {
    const names = [...installedKinds].map((kind) => findSentence(kind).name)
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
  })
})

test('no sentence shows an id, a key of the details, a missing value or the word "themselves"', () => {
  const wrong = /[0-9a-f]{8}-|\b[a-z]+_[a-z]+|\b[a-z]+[A-Z]|undefined|null|NaN|\[object|themselves| {2}|[\s.]$/
  expect(wrong.test(`Post published, post: ${post}`)).toBe(true)
  for (const [kind, given] of installed)
    for (const details of [given.details ?? null, null]) {
      const event = eventOf(kind, { ...given, details })
      const note = findSentence(kind).note?.(details ?? {}, times) ?? ''
      for (const text of [say(event), say(event, { count: 4 }), note]) expect(text, kind).not.toMatch(wrong)
    }
})

describe('a sentence', () => {
  test('counts the events that it stands for', () => {
    const count = { count: 3 }
    expect(say(eventOf('signin.failed', noActor), count)).toBe('3 failed sign-in attempts for Grace')
    expect(say(eventOf('session.started', self), count)).toBe('ada signed in 3 times')
  })

  test('calls users who no longer exist "a deleted user"', () => {
    const event = eventOf('impersonation.started', { actorName: null, targetName: null })
    expect(say(event)).toBe('A deleted user started impersonating a deleted user')
  })

  test('names the admin who impersonated the user', () => {
    const impersonated = { ...noTarget, impersonatorId: grace, impersonatorName: 'Grace' }
    expect(say(eventOf('session.ended', impersonated))).toBe('Grace signed out as ada (impersonating)')
    expect(say(eventOf('note.written', impersonated))).toBe('Note written by Grace as ada (impersonating)')
    const deleted = { ...impersonated, impersonatorName: null }
    expect(say(eventOf('session.ended', deleted))).toBe('A deleted admin signed out as ada (impersonating)')
    expect(say(eventOf('note.written', { ...impersonated, ...noActor }))).toBe('Note written by Grace (impersonating)')
  })

  test('about a kind without a sentence uses the words of the kind', () => {
    expect(say(eventOf('big_note.written', { details: { note: post } }))).toBe('Big note written by ada for Grace')
    expect(say(eventOf('two_step.moved', self))).toBe('Two-factor moved by ada')
    expect(say(eventOf('note.written', nobody))).toBe('Note written')
  })

  test('calls the user of a page by their first name, and leaves them out where it can', () => {
    const onUserPage = { isOnUserPage: true }
    const history = { targetName: 'Grace Hopper', ofUserId: grace }
    expect(say(eventOf('person.suspended', history), onUserPage)).toBe('ada suspended Grace')
    expect(say(eventOf('signin.failed', { ...history, ...noActor }), onUserPage)).toBe('Failed sign-in attempt')
  })

  test.runIf(installedKinds.has('post.created'))('names what it is about', () => {
    const parts = { actor: 'Ada', target: null, isSelf: false, subject: 'On computable numbers', isOnUserPage: false }
    const sentence = findSentence('post.published').say({ ...parts, details: { post, number: 2 }, count: 1 })
    expect(toText(sentence)).toBe('Ada published On computable numbers (version 2)')
  })
})

test('kinds are grouped by area, those without a sentence last', () => {
  expect(groupKinds(['thing.done', 'role.changed', 'session.ended', 'session.started'])).toEqual([
    {
      area: 'Sign-in',
      options: [
        { kind: 'session.started', name: 'Signed in' },
        { kind: 'session.ended', name: 'Signed out' },
      ],
    },
    { area: 'Users', options: [{ kind: 'role.changed', name: 'Role changed' }] },
    { area: 'Other', options: [{ kind: 'thing.done', name: 'Thing done' }] },
  ])
})
