import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode, statementGate } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

const noClientInfo = { ip: null, userAgent: null }

check(
  'P-3',
  'however the statements of a sign-in and a password change interleave, no session of the old password stays open',
  async (world) => {
    const [{ createPasswordSession }, { findSession, revokeSessions }, { replacePassword }, { db }, { inTransaction }] =
      await importAppCode<
        [
          typeof import('../../../../src/core/auth/session/start-session.ts'),
          typeof import('../../../../src/core/auth/session/sessions.ts'),
          typeof import('../../../../src/core/auth/flows/change-password.ts'),
          typeof import('../../../../src/core/db/client.ts'),
          typeof import('../../../../src/core/db/in-transaction.ts'),
        ]
      >(
        world,
        'src/core/auth/session/start-session.ts',
        'src/core/auth/session/sessions.ts',
        'src/core/auth/flows/change-password.ts',
        'src/core/db/client.ts',
        'src/core/db/in-transaction.ts',
      )
    const { $client } = db
    const add = async () => {
      const { rows } = await $client.query(
        `with made as (insert into users (email, name, email_verified_at)
           values ('s-' || gen_random_uuid() || '@example.com', 'Test User', now()) returning id),
         secured as (insert into passwords (user_id, hash) select id, 'the old one' from made)
         select id from made`,
      )
      return rows[0].id as string
    }
    // The first email opens the job queue, with statements of its own.
    await add().then((id) => inTransaction((tx) => replacePassword(tx, id, 'the new one', { client: noClientInfo })))
    let signInCount = 0
    return assertProperty(
      'P-3',
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isOnlyRevoked) => {
        const id = await add()
        let revokedAt = 0
        let startedAt = 0
        let statements = 0
        statementGate.next = async () => {
          await scheduler.schedule(Promise.resolve())
          statements++
        }
        const signIn = createPasswordSession(id, 'the old one', noClientInfo).then((created) => {
          startedAt = statements
          return created?.token ?? null
        })
        const revoke = (
          isOnlyRevoked
            ? revokeSessions(db, id).then(() => {})
            : inTransaction((tx) => replacePassword(tx, id, 'the new one', { client: noClientInfo }))
        ).then(() => {
          revokedAt = statements
        })
        let token: string | null
        try {
          const both = Promise.all([signIn, revoke])
          await scheduler.waitFor(both)
          token = (await both)[0]
        } finally {
          statementGate.next = undefined
        }
        const isOpen = token !== null && (await findSession(token)) !== null
        const { rows } = await $client.query('select count(*)::int from sessions where user_id = $1', [id])
        assert.equal(rows[0].count, isOpen ? 1 : 0)
        if (!isOnlyRevoked) assert.equal(isOpen, false, 'a session of the old password is open')
        // Revoked sessions stay revoked; one that was started afterwards may exist.
        if (isOnlyRevoked && startedAt < revokedAt - 1) assert.equal(isOpen, false)
        if (token) signInCount++
      }),
      { examples: [], note: () => `${signInCount} sign-ins came first` },
    )
  },
  { full: 'takes long' },
)
