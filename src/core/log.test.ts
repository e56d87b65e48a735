import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createLog, redact, redirectConsole } from './log'

const canary = 'canary-7f3a-horse-battery'
const secretNames = [
  'password',
  'newPassword',
  'AUTH_SECRET',
  'token',
  'sessionToken',
  'authorization',
  'Cookie',
  'set-cookie',
  'hash',
  'apiKey',
]

test('a secret is redacted by field name, at any depth', () => {
  const nest = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...secretNames).map((name) => ({ [name]: canary })),
      fc.record({ safe: fc.string(), inner: tie('node') }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  })).node
  fc.assert(
    fc.property(nest, (value) => !JSON.stringify(redact(value)).includes(canary)),
    { numRuns: 300 },
  )
})

test('passwords in URLs, bearer tokens and hashes are redacted in text', () => {
  const text = redact(`connect postgres://app:${canary}@db/app with Bearer ${canary} and $argon2id$v=19$m=1$abc`)
  expect(text).toBe('connect [redacted]db/app with [redacted] and [redacted]')
})

test('an error keeps its message, code and cause, but not the values of its query', () => {
  const error = new Error(`Failed query: select 1\nparams: ${canary}`, {
    cause: Object.assign(new Error('duplicate'), { code: '23505', detail: canary }),
  })
  const text = JSON.stringify(redact({ error }))
  expect(text).toContain('Failed query')
  expect(text).toContain('23505')
  expect(text).not.toContain(canary)
})

test('what is not a secret stays as it is', () => {
  const value = { userId: 'u1', count: 3, at: new Date(0), list: ['a', null, true] }
  expect(redact(value)).toEqual(value)
})

test('a log line holds no secret, whether it was in a field, an error or the message', () => {
  const lines: string[] = []
  const log = createLog({ write: (line: string) => void lines.push(line) })
  log.level = 'info'
  log.info({ user: { password: canary } }, `Bearer ${canary}`)
  log.error(new Error(`Failed query\nparams: one,\n${canary}\n    at place`))
  log.error({ error: new Error(`Failed query\nparams: ${canary}`) })
  expect(lines).toHaveLength(3)
  expect(JSON.parse(lines[2] ?? '')).toMatchObject({
    level: 'error',
    error: { type: 'Error', message: expect.stringContaining('Failed query') },
  })
  for (const line of lines) {
    expect(line).not.toContain(canary)
    expect(() => JSON.parse(line)).not.toThrow()
  }
})

test('circular references and bytes are replaced by a placeholder', () => {
  const loop: Record<string, unknown> = { bytes: Buffer.from(canary) }
  loop.self = loop
  expect(redact(loop)).toEqual({ bytes: '[bytes]', self: '[circular]' })
})

test('a secret from our environment is redacted in any text', async () => {
  vi.stubEnv('AUTH_GOOGLE_SECRET', 'what-google-knows-of-us')
  vi.resetModules()
  const { redact: redactAnew } = await import('./log')
  vi.unstubAllEnvs()
  expect(redactAnew({ reason: 'no client has what-google-knows-of-us' })).toEqual({
    reason: 'no client has [redacted]',
  })
})

test('the console goes through the log, but errors that Next also reports; a warning of Node is no error', () => {
  const lines: { level: string; msg: string }[] = []
  const { error, warn } = console
  const log = createLog({ write: (line: string) => void lines.push(JSON.parse(line)) })
  log.level = 'info'
  redirectConsole(log)
  try {
    const redirected = console
    class RouteModule {
      onRequestError(error: Error) {
        redirected.error(error)
      }
    }
    redirected.error('broken')
    redirected.error('(node:7) ExperimentalWarning: this may change')
    redirected.warn('careful')
    redirected.error(new Error('failed'))
    const reported = new Error('reported')
    new RouteModule().onRequestError(reported)
    redirected.error('⨯', reported)
  } finally {
    Object.assign(console, { error, warn })
  }
  expect(lines.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
    'error: broken',
    'warn: (node:7) ExperimentalWarning: this may change',
    'warn: careful',
    'error: console',
  ])
})
