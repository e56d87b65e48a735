import { appSlug } from '../../../src/brand.ts'
import { expect, test } from '../support/e2e-test.ts'
import { runUntilExit } from '../support/server.ts'

// Empty values instead of unset ones: Next would load unset ones from .env.
const nothing = { AUTH_SECRET: '', AUTH_URL: '', DATABASE_URL: '', SMTP_URL: '', MAIL_FROM: '' }
const mailSettings = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: `${appSlug}@example.com` }

test('production does not start without its settings, and reports all of them at once', async () => {
  const { code, output, hasResponded } = await runUntilExit(nothing)
  expect(code).toBe(1)
  expect(hasResponded).toBe(false)
  expect(output).toContain('5 settings are missing or wrong')
  for (const [name, how] of [
    ['AUTH_SECRET', 'randomBytes'],
    ['AUTH_URL', 'https://app.example.com'],
    ['DATABASE_URL', 'postgres://'],
    ['SMTP_URL', 'smtp://'],
    ['MAIL_FROM', 'noreply@example.com'],
  ]) {
    expect(output).toMatch(new RegExp(`${name}: is missing.*${how}`))
  }
})

test('a setting that is read early is reported together with the others', async () => {
  const { code, output } = await runUntilExit({ ...nothing, LOG_LEVEL: 'loud', DATABASE_POOL_MAX: 'many' })
  expect(code).toBe(1)
  expect(output).toContain('7 settings are missing or wrong')
})

test('production does not start with half of an OAuth client', async () => {
  const { code, output, hasResponded } = await runUntilExit({
    ...mailSettings,
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    AUTH_URL: 'https://app.example.com',
    DATABASE_URL: 'postgres://127.0.0.1:1/nowhere',
    AUTH_GITHUB_ID: 'an-id',
  })
  expect([code, hasResponded]).toEqual([1, false])
  expect(output).toContain('AUTH_GITHUB_SECRET: is missing while AUTH_GITHUB_ID is set')
  expect(output).not.toContain('an-id')
})

test('production does not start while the seeded users are in its database', async () => {
  const { code, output, hasResponded } = await runUntilExit({
    ...mailSettings,
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    AUTH_URL: 'https://app.example.com',
    DATABASE_URL: process.env.DATABASE_URL ?? '',
    ALLOW_SEEDED_PEOPLE: '',
  })
  expect([code, hasResponded]).toEqual([1, false])
  expect(output).toMatch(/admin@example\.com.*ALLOW_SEEDED_PEOPLE=1/)
})
