import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { call } from '../../../app/support/http-client.ts'
import { runUntilExit, startServer } from '../../../app/support/server.ts'
import type { World } from '../../../app/support/test-world.ts'
import { importAppCode, withEnv } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

/** Valid, almost valid and invalid values for each setting that affects security. */
const values: Record<string, (string | undefined)[]> = {
  NODE_ENV: ['production'],
  AUTH_SECRET: [
    undefined,
    '',
    'short',
    'a'.repeat(64),
    'changeme'.repeat(8),
    'k3Jd92-LmQz_81xVbT6wYr0pNe4sGhUc',
    '\u{1f600}'.repeat(9),
  ],
  AUTH_URL: [
    ...[
      undefined,
      '',
      'https://app.example.com',
      'https://app.example.com/',
      'http://app.example.com',
      'app.example.com',
    ],
    ...[
      'http://localhost:3000',
      'http://localhost.evil.example',
      'https://app.example.com/path',
      'HTTPS://app.example.com',
    ],
    ...[
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'https://user@app.example.com',
      'javascript://x',
      'http://0.0.0.0:3000',
    ],
  ],
  DATABASE_URL: [undefined, '', 'postgres://app@db/app', 'postgresql://app@db/app', 'mysql://app@db/app', 'db'],
  DATABASE_POOL_MAX: [undefined, '10', '0', '-1', '1e3', '501', ' 5'],
  LOG_LEVEL: [undefined, 'info', 'trace', 'INFO'],
  REDIS_URL: [undefined, 'redis://cache', 'rediss://cache', 'http://cache'],
  TRUSTED_PROXY_HOPS: [undefined, '0', '1', '11', '-1', 'true', '0x1'],
  CORS_ORIGINS: [
    ...[
      undefined,
      '',
      '*',
      'https://a.example.com',
      'https://a.example.com, https://b.example.com',
      'https://*.example.com',
    ],
    ...['https://a.example.com/', 'null', 'https://a.example.com,', 'https://A.example.com', 'a.example.com'],
  ],
  CORS_CREDENTIALS: [undefined, 'true', 'false', '1'],
  PASSWORD_MIN_LENGTH: [undefined, '12', '8', '7', '0', '65', '12.5'],
  PASSWORD_BREACH_CHECK: [undefined, 'on', 'off', 'yes'],
  PASSWORD_BREACH_URL: [undefined, 'https://breaches.example.com/v1', 'http://breaches.example.com', 'breaches'],
  AUTH_SIGNUP: [undefined, 'open', 'invite', 'closed', 'Closed', 'no'],
  AUDIT_RETENTION_MONTHS: [undefined, '1', '0', 'forever'],
  ADMIN_EMAIL: [undefined, 'ada@example.com', 'ada', 'ada@example.com,eve@evil.example'],
  SMTP_URL: [undefined, '', 'smtp://mail:587', 'smtps://mail', 'mail:587'],
  MAIL_FROM: [undefined, '', 'app@example.com', 'App <app@example.com>', 'app'],
  WORKER: [undefined, 'inside', 'apart', 'none'],
  AUTH_GOOGLE_ID: [undefined, 'id'],
  AUTH_GOOGLE_SECRET: [undefined, 'secret'],
  AUTH_GOOGLE_ISSUER: [undefined, 'http://localhost:9000', 'https://accounts.evil.example'],
  AUTH_GITHUB_ID: [undefined, 'id'],
  AUTH_GITHUB_SECRET: [undefined, 'secret'],
  AUTH_GITHUB_URL: [undefined, 'http://localhost:9000', 'not an origin'],
  ALLOW_SEEDED_PEOPLE: [undefined, '1', 'yes'],
}

/** A valid base; only a few settings are replaced, because with many wrong ones every combination would be rejected. */
const validSettings: Record<string, string | undefined> = {
  NODE_ENV: 'production',
  AUTH_SECRET: 'k3Jd92-LmQz_81xVbT6wYr0pNe4sGhUc',
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://app@db/app',
  SMTP_URL: 'smtps://mail',
  MAIL_FROM: 'app@example.com',
}

type Source = Record<string, string | undefined>

const randomSettings = fc
  .uniqueArray(
    fc.constantFrom(...Object.keys(values)).chain((name) =>
      fc.record({
        name: fc.constant(name),
        value: fc.oneof(
          fc.constantFrom(...(values[name] ?? [])),
          fc.constantFrom(...(values[name] ?? [])),
          fc.string(),
        ),
      }),
    ),
    { selector: ({ name }) => name, maxLength: 5 },
  )
  .map(
    (chosen): Source => ({
      ...validSettings,
      ...Object.fromEntries(chosen.map(({ name, value }) => [name, value])),
      NODE_ENV: 'production',
    }),
  )

const isLocalHost = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** What must be true of any app that starts in production, stated independently of the app's own code. */
function findViolations(source: Source, read: (name: string) => unknown): string[] {
  const secret = String(read('AUTH_SECRET'))
  const url = new URL(String(read('AUTH_URL')))
  const origins = read('CORS_ORIGINS') as string[]
  const standIns = ['AUTH_GOOGLE_ISSUER', 'AUTH_GITHUB_URL'].filter((name) => source[name])
  const rules: [what: string, isBroken: boolean][] = [
    ['a weak secret', Buffer.byteLength(secret) < 32 || new Set(secret).size < 10],
    ['plain http on a public host', url.protocol !== 'https:' && !isLocalHost(url.hostname)],
    ['an AUTH_URL that is more than an origin', url.origin !== read('AUTH_URL')],
    ['a CORS origin that is not an origin', origins.some((one) => !URL.canParse(one) || new URL(one).origin !== one)],
    ['a short password', Number(read('PASSWORD_MIN_LENGTH')) < 8],
    ['a local stand-in for a provider', standIns.length > 0 && !isLocalHost(url.hostname)],
    ['Google without id or secret', Boolean(source.AUTH_GOOGLE_ID) !== Boolean(source.AUTH_GOOGLE_SECRET)],
    ['GitHub without id or secret', Boolean(source.AUTH_GITHUB_ID) !== Boolean(source.AUTH_GITHUB_SECRET)],
    ['no SMTP server', !/^smtps?:/.test(String(source.SMTP_URL))],
    ['no database', !/^postgres(ql)?:/.test(String(source.DATABASE_URL))],
    ['an invalid number of proxies', !Number.isInteger(read('TRUSTED_PROXY_HOPS'))],
    [
      'an invalid ADMIN_EMAIL',
      source.ADMIN_EMAIL ? !/^[^@,\s<>]+@[^@,\s<>]+$/.test(String(read('ADMIN_EMAIL'))) : false,
    ],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([what]) => what)
}

/** Starts the real app with a few combinations: rejected settings prevent the start, accepted ones let it respond. */
async function startSome(world: World, samples: Source[], problemsOf: (source: Source) => string): Promise<string> {
  let rejectedCount = 0
  const baseEnv = { ...validSettings, ...world.env, AUTH_URL: 'http://localhost:3000' }
  for (const source of samples) {
    const problems = problemsOf({ ...baseEnv, ...source })
    if (problems === '') {
      const node = await startServer('start', { ...baseEnv, ...source, WORKER: 'apart' } as Record<string, string>)
      try {
        assert.equal((await call(node.url, '/api/auth/session')).text, 'null')
        assert.equal((await call(node.url, '/api/health/ready')).status, 200)
      } finally {
        await node.stop()
      }
      continue
    }
    rejectedCount++
    // An empty value prevents .env from filling it in.
    const given = Object.fromEntries(
      Object.entries({ ...baseEnv, ...source }).map(([name, value]) => [name, value ?? '']),
    )
    const { code, output, hasResponded } = await runUntilExit(given)
    assert.notEqual(code, 0)
    assert.equal(hasResponded, false)
    for (const name of Object.keys(source)) assert.ok(output.includes(name), `${name} is not named: ${output}`)
  }
  return `${samples.length} real starts, ${rejectedCount} rejected`
}

check(
  'P-20',
  'with any settings the app either fails to start and names each wrong one, or runs with safe ones',
  async (world) => {
    const [{ checkEnv, coreEnv, env }, { modules }] = await importAppCode<
      [typeof import('../../../../src/core/env.ts'), typeof import('../../../../src/modules.ts')]
    >(world, 'src/core/env.ts', 'src/modules.ts')
    const owners = [coreEnv, ...modules.flatMap((module) => module.env ?? [])]
    let startedCount = 0
    const parsed = await assertProperty(
      'P-20',
      fc.asyncProperty(randomSettings, async (source) => {
        const problems = checkEnv(owners, source)
        if (problems !== '') {
          // Each line names the setting, and never contains a secret value.
          const lines = problems.split('\n').filter((line) => line.startsWith('  '))
          assert.ok(lines.length > 0)
          for (const line of lines) assert.match(line, /^ {2}[A-Z0-9_]+( \(module \w+\))?: .{10,}/)
          if (source.AUTH_SECRET && source.AUTH_SECRET.length > 6) assert.ok(!problems.includes(source.AUTH_SECRET))
          return
        }
        startedCount++
        const everything = { ...Object.fromEntries(Object.keys(values).map((name) => [name, undefined])), ...source }
        const found = await withEnv(everything, () => findViolations(source, (name) => env[name as keyof typeof env]))
        assert.deepEqual(found, [])
      }),
      { note: () => `${startedCount} would start` },
    )
    const boots = await startSome(
      world,
      [
        {},
        { AUTH_SIGNUP: 'invite', PASSWORD_MIN_LENGTH: '8' },
        { AUTH_SECRET: 'a'.repeat(64), CORS_ORIGINS: '*' },
        { AUTH_URL: 'http://app.example.com' },
      ],
      (source) => checkEnv(owners, source),
    )
    return `${parsed}; ${boots}`
  },
)
