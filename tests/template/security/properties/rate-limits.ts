import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode, withEnv } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

/** Concurrent attempts on three nodes, some time after the previous ones. */
const attemptBatch = fc.record({ after: fc.nat(90_000), nodes: fc.array(fc.nat(2), { minLength: 1, maxLength: 6 }) })

check(
  'P-11',
  'a limit allows exactly `points` attempts per window, at any times and on any nodes',
  async (world) => {
    const [{ defineLimit }, { pool }] = await importAppCode<
      [typeof import('../../../../src/core/limits/limit.ts'), typeof import('../../../../src/core/db/client.ts')]
    >(world, 'src/core/limits/limit.ts', 'src/core/db/client.ts')
    const realNow = Date.now
    let rejected = 0
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(attemptBatch, { minLength: 1, maxLength: 5 }),
      async (points, seconds, attemptBatches) => {
        const name = `p11_${crypto.randomUUID()}`
        // A node caches which keys are over the limit; the counts are in the database.
        const nodes = [0, 1, 2].map(() => defineLimit(name, { points, seconds }))
        let offset = 0
        let window = { start: Number.NEGATIVE_INFINITY, accepted: 0 }
        // Nodes cache rejections by their own clock, and count by that of the database.
        Date.now = () => realNow() + offset
        const pass = async (milliseconds: number) => {
          offset += milliseconds
          await pool.query('update rate_limits set expire = expire - $1 where starts_with(key, $2)', [
            milliseconds,
            name,
          ])
        }
        try {
          for (const { after, nodes: at } of attemptBatches) {
            await pass(after)
            // Not at the edge of the window, where the time of a query decides.
            if (Math.abs(Date.now() - window.start - seconds * 1_000) < 400) await pass(1_000)
            const now = Date.now()
            const results = await Promise.allSettled(at.map((node) => nodes[node]?.consume('key')))
            const count = results.filter(({ status }) => status === 'fulfilled').length
            for (const result of results)
              if (result.status === 'rejected') assert.equal(result.reason.code, 'rate_limited', String(result.reason))
            if (now - window.start > seconds * 1_000) window = { start: now, accepted: 0 }
            assert.equal(count, Math.min(at.length, points - window.accepted), `${at.length} tries`)
            window.accepted += count
            rejected += at.length - count
          }
        } finally {
          Date.now = realNow
        }
      },
    )
    const inPostgres = await withEnv({ REDIS_URL: undefined }, () => assertProperty('P-11', property, { examples: [] }))
    return `${inPostgres}; ${rejected} were rejected`
  },
  { full: 'takes long' },
)
