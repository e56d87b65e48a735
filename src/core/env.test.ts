import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { checkEnv, coreEnv, defineEnv, findMisspelledSettings } from './env'

const complete = {
  NODE_ENV: 'production',
  AUTH_SECRET: 'Vq3kX0pYw8sTn5bRj2mCz7hLd4fGa9uE1iOo6',
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://app:app@db.internal:5432/app',
  SMTP_URL: 'smtps://app:app@mail.internal',
  MAIL_FROM: 'app@example.com',
}

describe('the environment', () => {
  test('is valid when every required setting of production is set', () => {
    expect(checkEnv([coreEnv], complete)).toBe('')
  })

  test('reports all missing settings at once, with a hint for each', () => {
    const text = checkEnv([coreEnv], { NODE_ENV: 'production' })
    expect(text).toContain('5 settings are missing or wrong')
    expect(text).toMatch(/AUTH_SECRET: is missing\..*randomBytes/)
    expect(text).toMatch(/AUTH_URL: is missing\..*https:\/\/app\.example\.com/)
    expect(text).toMatch(/DATABASE_URL: is missing\..*postgres:\/\//)
  })

  test('accepts any random secret, and several of them', () => {
    for (let round = 0; round < 200; round++) {
      const secrets = (['hex', 'base64', 'base64url'] as const).map((encoding) => randomBytes(24).toString(encoding))
      expect(checkEnv([coreEnv], { ...complete, AUTH_SECRET: secrets.join(round % 2 ? ',' : ', ') })).toBe('')
    }
  })

  test('requires nothing in development', () => {
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
  ])('rejects %s=%s', (name, value, complaint) => {
    expect(checkEnv([coreEnv], { ...complete, [name]: value })).toMatch(new RegExp(`${name}: .*${complaint}`))
  })

  test('allows http on localhost', () => {
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
    'rejects %s with a public AUTH_URL, and allows it on localhost',
    (name) => {
      const withStandIn = { ...complete, [name]: 'http://localhost:9999' }
      expect(checkEnv([coreEnv], withStandIn)).toContain(`${name}: is for development`)
      expect(checkEnv([coreEnv], { ...withStandIn, AUTH_URL: 'http://localhost:3000' })).toBe('')
    },
  )

  test('never prints the value of a setting', () => {
    expect(checkEnv([coreEnv], { ...complete, AUTH_SECRET: 'short-secret-value' })).not.toContain('short-secret-value')
  })

  test('names the module a setting belongs to', () => {
    const module = defineEnv('billing', {
      BILLING_KEY: { schema: z.string(), required: 'production', hint: 'From the bank' },
    })
    expect(checkEnv([coreEnv, module], complete)).toContain('BILLING_KEY (module billing): is missing. From the bank')
  })

  test('is searched for misspelled settings: unknown names close to a setting that is not set', () => {
    const misspelled = (source: Record<string, string>) => findMisspelledSettings([coreEnv], source)
    expect(misspelled({ PASWORD_MIN_LENGTH: '8', MIAL_FROM: 'a@example.com', WORKERR: 'apart' })).toEqual([
      { name: 'PASWORD_MIN_LENGTH', meant: 'PASSWORD_MIN_LENGTH' },
      { name: 'MIAL_FROM', meant: 'MAIL_FROM' },
      { name: 'WORKERR', meant: 'WORKER' },
    ])
    expect(misspelled({ PASSWORD_MIN_LENGTH: '8', NODE_ENV: 'test', HOME: '/home', npm_config_x: '1' })).toEqual([])
    expect(misspelled({ REDIS_URI: 'x', REDIS_URL: 'redis://localhost' })).toEqual([])
    expect(misspelled({ PASWORD_MIN_LENGTH: '' })).toEqual([])
  })

  test('is read again when it changes', () => {
    const { values } = defineEnv('one', { ONE_THING: { schema: z.string(), hint: '' } })
    process.env.ONE_THING = 'first'
    expect(values.ONE_THING).toBe('first')
    process.env.ONE_THING = 'second'
    expect(values.ONE_THING).toBe('second')
  })

  test('throws an error with a hint when a missing setting is used', () => {
    const { values } = defineEnv('one', { ABSENT_THING: { schema: z.string(), hint: 'Ask Ada' } })
    expect(() => values.ABSENT_THING).toThrow('ABSENT_THING is missing or wrong. Ask Ada')
  })
})
