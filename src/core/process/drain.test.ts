import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { log } from '../log'
import { drainOnSignals } from './drain'

const signals = ['SIGINT', 'SIGTERM'] as const
const error = vi.spyOn(log, 'error').mockReturnValue()
const nothing = async () => {}

// The listeners of the test runner must not be called, and must be there afterwards.
const ownListeners = signals.map((signal) => [signal, process.listeners(signal)] as const)

beforeEach(() => {
  for (const signal of signals) process.removeAllListeners(signal)
  error.mockClear()
})

afterEach(() => {
  for (const [signal, listeners] of ownListeners) {
    process.removeAllListeners(signal)
    for (const listener of listeners) process.on(signal, listener)
  }
})

test('draining takes the place of the signal listeners of Next', () => {
  const close = vi.fn()
  for (const signal of signals) process.on(signal, close)
  drainOnSignals(nothing, nothing)
  for (const signal of signals) {
    expect(process.listeners(signal)).toHaveLength(1)
    expect(process.listeners(signal)).not.toContain(close)
  }
  expect(error).not.toHaveBeenCalled()
})

test('an error is logged if Next has no signal listeners to replace', () => {
  drainOnSignals(nothing, nothing)
  for (const signal of signals)
    expect(error).toHaveBeenCalledWith({ signal }, expect.stringContaining('no signal listener of Next found'))
})
