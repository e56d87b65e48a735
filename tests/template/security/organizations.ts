// Organizations: production does not start if nothing keeps their rows apart.

import assert from 'node:assert/strict'
import pg from 'pg'
import { checkModule } from '../../app/support/checks.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { runUntilExit } from '../../app/support/server.ts'

const loginPassword = 'only-for-this-login-5'
registerSecret(loginPassword)

checkModule(
  'organizations',
  'H-398',
  'production does not start without row-level security on every tenant table, or if its login cannot switch to the role',
  async (world) => {
    const databaseUrl = await world.migratedDatabase()
    const login = `plinth_test_${crypto.randomUUID().slice(0, 8)}`
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
    pool.on('error', () => {})
    world.atEndOfGroup(async () => {
      await pool.query(`drop owned by ${login}; drop role ${login}`).catch(() => {})
      await pool.end()
    })
    const start = (DATABASE_URL: string) =>
      runUntilExit({ ...world.env, DATABASE_URL, AUTH_URL: 'https://app.example.com', WORKER: 'apart' })

    await pool.query('alter table organizations_members disable row level security')
    const unwalled = await start(databaseUrl)
    assert.deepEqual([unwalled.code, unwalled.hasResponded], [1, false])
    assert.match(
      unwalled.output,
      /Rows of organizations are not kept apart: row-level security is missing on organizations_members\. See docs\/tenancy\.md/,
    )
    await pool.query('alter table organizations_members enable row level security')

    // It may read and write everything, but was not given the role.
    await pool.query(`create role ${login} login password '${loginPassword}'`)
    await pool.query(`grant pg_read_all_data, pg_write_all_data to ${login}`)
    const url = new URL(databaseUrl)
    url.username = login
    url.password = loginPassword
    const refused = await start(url.href)
    assert.deepEqual([refused.code, refused.hasResponded], [1, false])
    assert.match(refused.output, /not kept apart: the login of the app cannot switch to the role app_scoped/)

    // The same login starts once it has the role.
    await pool.query(`grant app_scoped to ${login}`)
    const node = await world.node('with the role', { DATABASE_URL: url.href, WORKER: 'apart' })
    assert.doesNotMatch(node.output(), /not kept apart/)
  },
  { full: 'needs other servers' },
)
