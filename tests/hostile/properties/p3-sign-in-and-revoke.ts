import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode, turns } from './app-code.ts'
import { holds } from './property.ts'

const nowhere = { ip: null, userAgent: null }

check(
  'P-3',
  'however the statements of a sign-in and of a new password fall together, the old password leaves nothing open',
  async (world) => {
    const [{ createSession, findSession, revokeSessions }, { replacePassword }, { db }] = await appCode<
      [
        typeof import('../../../src/core/auth/sessions.ts'),
        typeof import('../../../src/core/auth/change-password.ts'),
        typeof import('../../../src/core/db/client.ts'),
      ]
    >(world, 'src/core/auth/sessions.ts', 'src/core/auth/change-password.ts', 'src/core/db/client.ts')
    const { $client } = db
    const add = async () => {
      const { rows } = await $client.query(
        `with made as (insert into users (email, name, email_verified_at)
           values ('s-' || gen_random_uuid() || '@example.com', 'Somebody', now()) returning id),
         secured as (insert into passwords (user_id, hash) select id, 'the old one' from made)
         select id from made`,
      )
      return rows[0].id as string
    }
    // The queue is opened with the first mail, by statements of its own.
    await add().then((id) => db.transaction((tx) => replacePassword(tx, id, 'the new one')))
    let before = 0
    return holds(
      'P-3',
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, isOnlyRevoked) => {
        const id = await add()
        let revokedAt = 0
        let startedAt = 0
        let statements = 0
        turns.next = async () => {
          await scheduler.schedule(Promise.resolve())
          statements++
        }
        const signIn = createSession(id, 'the old one', nowhere).then((token) => {
          startedAt = statements
          return token
        })
        const revoke = (
          isOnlyRevoked
            ? revokeSessions(db, id).then(() => {})
            : db.transaction((tx) => replacePassword(tx, id, 'the new one'))
        ).then(() => {
          revokedAt = statements
        })
        let token: string | null
        try {
          const both = Promise.all([signIn, revoke])
          await scheduler.waitFor(both)
          token = (await both)[0]
        } finally {
          turns.next = undefined
        }
        const isOpen = token !== null && (await findSession(token)) !== null
        const { rows } = await $client.query('select count(*)::int from sessions where user_id = $1', [id])
        assert.equal(rows[0].count, isOpen ? 1 : 0)
        if (!isOnlyRevoked) assert.equal(isOpen, false, 'a session of the old password is open')
        // Ended sessions stay ended; one that began after that may be there.
        if (isOnlyRevoked && startedAt < revokedAt - 1) assert.equal(isOpen, false)
        if (token) before++
      }),
      { examples: [], note: () => `${before} sign-ins came first` },
    )
  },
)
