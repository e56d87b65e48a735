import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkEnv, coreEnv, defineEnv } from './env'

const complete = {
  NODE_ENV: 'production',
  AUTH_SECRET: 'Vq3kX0pYw8sTn5bRj2mCz7hLd4fGa9uE1iOo6',
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://app:app@db.internal:5432/app',
  SMTP_URL: 'smtps://app:app@mail.internal',
  MAIL_FROM: 'app@example.com',
}

describe('the environment', () => {
  test('is fine when everything production needs is set', () => {
    expect(checkEnv([coreEnv], complete)).toBe('')
  })

  test('names every missing setting at once, and says how to make each', () => {
    const text = checkEnv([coreEnv], { NODE_ENV: 'production' })
    expect(text).toContain('5 settings are missing or wrong')
    expect(text).toMatch(/AUTH_SECRET: is missing\..*randomBytes/)
    expect(text).toMatch(/AUTH_URL: is missing\..*https:\/\/app\.example\.com/)
    expect(text).toMatch(/DATABASE_URL: is missing\..*postgres:\/\//)
  })

  test('takes any secret that is random, and several of them', () => {
    for (let round = 0; round < 200; round++) {
      const made = (['hex', 'base64', 'base64url'] as const).map((encoding) => randomBytes(24).toString(encoding))
      expect(checkEnv([coreEnv], { ...complete, AUTH_SECRET: made.join(round % 2 ? ',' : ', ') })).toBe('')
    }
  })

  test('asks for nothing in development', () => {
    expect(checkEnv([coreEnv], { NODE_ENV: 'development' })).toBe('')
  })

  test('treats an empty value as not set', () => {
    expect(checkEnv([coreEnv], { ...complete, AUTH_SECRET: '' })).toContain('AUTH_SECRET: is missing')
  })

  test.each([
    ['AUTH_SECRET', 'changeme', 'shorter than 32 bytes'],
    ['AUTH_SECRET', 'a'.repeat(40), 'too easy to guess'],
    ['AUTH_SECRET', '0123456789'.repeat(4), 'too easy to guess'],
    ['AUTH_SECRET', 'abcdefghijklmnopqrstuvwxyz0123456789', 'too easy to guess'],
    ['AUTH_SECRET', 'K3v9Qz7Lm2X'.repeat(3), 'too easy to guess'],
    ['AUTH_SECRET', 'please-change-me-before-production-1', 'too easy to guess'],
    ['AUTH_SECRET', `${complete.AUTH_SECRET},`, 'shorter than 32 bytes'],
    ['AUTH_SECRET', `${complete.AUTH_SECRET}, changeme`, 'shorter than 32 bytes'],
    ['AUTH_URL', 'https://app.example.com/path', 'not an origin'],
    ['AUTH_URL', 'app.example.com', 'not an origin'],
    ['AUTH_URL', 'http://app.example.com', 'must be https'],
    ['DATABASE_URL', 'mysql://x', 'not a PostgreSQL URL'],
    ['DATABASE_POOL_MAX', '0', 'not between 1 and 500'],
    ['DATABASE_POOL_MAX', 'many', 'not a whole number'],
    ['LOG_LEVEL', 'loud', 'none of debug'],
    ['REDIS_URL', 'http://x', 'not a Redis URL'],
    ['REDIS_URL', 'redis+sentinel://a:1,b:2', 'not a Redis URL'],
    ['DATABASE_POOLER', 'session', 'can only be transaction'],
    ['CORS_ORIGINS', '*', 'not exactly an origin'],
    ['CORS_ORIGINS', 'https://a.test/', 'not exactly an origin'],
    ['CORS_ORIGINS', 'https://a.test/path', 'not exactly an origin'],
    ['CORS_ORIGINS', 'https://*.a.test', 'not exactly an origin'],
    ['CORS_ORIGINS', 'https://a.test, ,https://b.test', 'not exactly an origin'],
    ['CORS_CREDENTIALS', 'yes', 'can only be true'],
    ['TRUSTED_PROXY_HOPS', '-1', 'not a whole number'],
  ])('refuses %s=%s', (name, value, complaint) => {
    expect(checkEnv([coreEnv], { ...complete, [name]: value })).toMatch(new RegExp(`${name}: .*${complaint}`))
  })

  test('allows http for this machine itself', () => {
    expect(checkEnv([coreEnv], { ...complete, AUTH_URL: 'http://localhost:3000' })).toBe('')
  })

  test.each([
    ['AUTH_GOOGLE_ID', 'AUTH_GOOGLE_SECRET'],
    ['AUTH_GITHUB_SECRET', 'AUTH_GITHUB_ID'],
  ])('names the missing half when only %s is set', (present, absent) => {
    expect(checkEnv([coreEnv], { ...complete, [present]: 'x' })).toContain(
      `${absent}: is missing while ${present} is set`,
    )
  })

  test.each(['AUTH_GOOGLE_ISSUER', 'AUTH_GITHUB_URL'])(
    'refuses %s where others can reach the app, and allows it here',
    (name) => {
      const standIn = { ...complete, [name]: 'http://localhost:9999' }
      expect(checkEnv([coreEnv], standIn)).toContain(`${name}: is for development`)
      expect(checkEnv([coreEnv], { ...standIn, AUTH_URL: 'http://localhost:3000' })).toBe('')
    },
  )

  test('never repeats a value', () => {
    expect(checkEnv([coreEnv], { ...complete, AUTH_SECRET: 'short-secret-value' })).not.toContain('short-secret-value')
  })

  test('names the module a setting belongs to', () => {
    const module = defineEnv('billing', {
      BILLING_KEY: { schema: z.string(), required: 'production', hint: 'From the bank' },
    })
    expect(checkEnv([coreEnv, module], complete)).toContain('BILLING_KEY (module billing): is missing. From the bank')
  })

  test('is read again when it changes', () => {
    const { values } = defineEnv('one', { ONE_THING: { schema: z.string(), hint: '' } })
    process.env.ONE_THING = 'first'
    expect(values.ONE_THING).toBe('first')
    process.env.ONE_THING = 'second'
    expect(values.ONE_THING).toBe('second')
  })

  test('throws a sentence, not undefined, when a missing setting is used', () => {
    const { values } = defineEnv('one', { ABSENT_THING: { schema: z.string(), hint: 'Ask Ada' } })
    expect(() => values.ABSENT_THING).toThrow('ABSENT_THING is missing or wrong. Ask Ada')
  })
})
