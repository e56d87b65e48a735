// node --test tests/template/bench/decide.test.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide, intervalOf, isNarrow, isSound, median } from './decide.ts'

/** Reproducible numbers between 0 and 1. */
function* chance(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    yield state / 2 ** 32
  }
}

test('the median is the middle, or the mean of both', () => {
  assert.equal(median([3, 1, 2]), 2)
  assert.equal(median([4, 1, 2, 3]), 2.5)
})

test('fewer than six restarts have no interval, six have their range', () => {
  assert.equal(intervalOf([1, 1, 1, 1, 1]), null)
  assert.deepEqual(intervalOf([0.9, 1.1, 1, 1, 1, 1]), { low: 0.9, high: 1.1 })
})

test('more restarts leave out the extremes', () => {
  const ratios = Array.from({ length: 20 }, (_, index) => index + 1)
  assert.deepEqual(intervalOf(ratios), { low: 6, high: 15 })
})

test('the interval contains the true median in at least 95 % of runs', () => {
  const numbers = chance(7)
  const next = () => numbers.next().value as number
  for (const count of [6, 9, 14, 25]) {
    let hits = 0
    for (let run = 0; run < 4_000; run++) {
      // Skewed, as restarts are: some are much slower.
      const { low, high } = intervalOf(Array.from({ length: count }, () => 1 / (0.2 + next() ** 2))) ?? {
        low: 9,
        high: 0,
      }
      const truth = 1 / (0.2 + 0.25)
      if (low <= truth && truth <= high) hits++
    }
    assert.ok(hits >= 3_760, `${hits} of 4,000 with ${count} restarts`)
  }
})

test('a goal is met or missed when the interval is on one side of it, or narrow', () => {
  const wide = [0.8, 0.85, 0.9, 0.95, 1, 1.05]
  assert.equal(decide(wide, { least: 0.9 }), 'open')
  assert.equal(decide(wide, { least: 0.7 }), 'yes')
  assert.equal(decide(wide, { least: 1.2 }), 'no')
  assert.equal(decide(wide, { most: 1.2 }), 'yes')
  assert.equal(decide(wide, {}), '')
  const narrow = [0.93, 0.94, 0.95, 0.96, 0.97, 0.98]
  assert.ok(isNarrow(narrow) && !isNarrow(wide))
  assert.equal(decide(narrow, { least: 0.95 }), 'yes')
  assert.equal(decide(narrow, { least: 0.96 }), 'no')
  assert.equal(decide(narrow.slice(1), { least: 0.5 }), 'open')
})

test('equal servers are sound if 1.00 is in their interval', () => {
  assert.ok(isSound([0.97, 0.99, 1, 1.01, 1.02, 1.03]))
  assert.ok(!isSound([1.01, 1.02, 1.03, 1.04, 1.05, 1.06]))
  assert.ok(!isSound([1, 1, 1]))
})
