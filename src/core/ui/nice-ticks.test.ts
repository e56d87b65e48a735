import { expect, test } from 'vitest'
import { niceTicks } from './nice-ticks'

test.each([
  [0, [0, 1, 2]],
  [1, [0, 1, 2]],
  [3, [0, 1, 2, 3]],
  [4, [0, 2, 4]],
  [7, [0, 3, 6, 9]],
  [29, [0, 10, 20, 30]],
  [31, [0, 15, 30, 45]],
  [440, [0, 150, 300, 450]],
  [1_000_000, [0, 400_000, 800_000, 1_200_000]],
])('the axis up to %i has the ticks %j', (max, ticks) => {
  expect(niceTicks(max)).toEqual(ticks)
})

test('every axis has three or four whole ticks and covers the maximum', () => {
  for (let max = 0; max < 5_000; max++) {
    const ticks = niceTicks(max)
    expect([3, 4], String(max)).toContain(ticks.length)
    expect(ticks.at(-1), String(max)).toBeGreaterThanOrEqual(max)
    expect(ticks.every(Number.isInteger), String(max)).toBe(true)
  }
})
