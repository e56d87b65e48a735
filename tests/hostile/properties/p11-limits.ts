import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode, withSettings } from './app-code.ts'
import { holds } from './property.ts'

/** Tries that come together, so long after the ones before, each at one of three nodes. */
const wave = fc.record({ after: fc.nat(90_000), nodes: fc.array(fc.nat(2), { minLength: 1, maxLength: 6 }) })

check(
  'P-11',
  'of tries at any times and any nodes a limit lets exactly so many through, counted from the first of a window',
  async (world) => {
    const [{ defineLimit }] = await appCode<[typeof import('../../../src/core/limits/limit.ts')]>(
      world,
      'src/core/limits/limit.ts',
    )
    const realNow = Date.now
    let refused = 0
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(wave, { minLength: 1, maxLength: 5 }),
      async (points, seconds, waves) => {
        const name = `p11_${crypto.randomUUID()}`
        // A node remembers for itself whom it has refused; what it counts is in the database.
        const nodes = [0, 1, 2].map(() => defineLimit(name, { points, seconds }))
        let now = realNow()
        let window = { start: Number.NEGATIVE_INFINITY, accepted: 0 }
        Date.now = () => now
        try {
          for (const { after, nodes: at } of waves) {
            now += after
            // Not on the very edge, where a millisecond decides.
            if (Math.abs(now - window.start - seconds * 1_000) < 5) now += 10
            const results = await Promise.allSettled(at.map((node) => nodes[node]?.consume('somebody')))
            const count = results.filter(({ status }) => status === 'fulfilled').length
            for (const result of results)
              if (result.status === 'rejected') assert.equal(result.reason.code, 'rate_limited', String(result.reason))
            if (now - window.start > seconds * 1_000) window = { start: now, accepted: 0 }
            assert.equal(count, Math.min(at.length, points - window.accepted), `${at.length} tries`)
            window.accepted += count
            refused += at.length - count
          }
        } finally {
          Date.now = realNow
        }
      },
    )
    const inPostgres = await withSettings({ REDIS_URL: undefined }, () => holds('P-11', property, { examples: [] }))
    return `${inPostgres}; ${refused} were refused`
  },
)
