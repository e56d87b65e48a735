import { expect, test } from 'vitest'
import { AppError } from './errors'
import { defineSlots } from './slots'

const errorOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return [error.code, error.retryAfter]
    throw error
  }
}

test('the number of slots is limited per user and per node', () => {
  const slots = defineSlots('upload', 2)
  const release = slots.take('ada')
  expect(errorOf(() => slots.take('ada'))).toEqual(['rate_limited', 5])
  slots.take('grace')
  expect(errorOf(() => slots.take('edsger'))).toEqual(['unavailable', 5])
  release()
  expect(errorOf(() => slots.take('edsger'))).toBeUndefined()
})

test('releasing twice does not free a slot taken since', () => {
  const slots = defineSlots('upload', 2)
  const release = slots.take('ada')
  release()
  slots.take('ada')
  release()
  expect(errorOf(() => slots.take('ada'))).toEqual(['rate_limited', 5])
})
