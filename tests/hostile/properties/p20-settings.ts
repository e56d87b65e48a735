import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runUntilExit, startServer } from '../../support/server.ts'
import { check } from '../checks.ts'
import { call } from '../client.ts'
import type { World } from '../world.ts'
import { appCode, withSettings } from './app-code.ts'
import { holds } from './property.ts'

/** Values that are right, nearly right, and wrong, for each setting that keeps the app safe. */
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

/** All of them right, and a few exchanged: with many wrong ones at once every combination would be refused. */
const sound: Record<string, string | undefined> = {
  NODE_ENV: 'production',
  AUTH_SECRET: 'k3Jd92-LmQz_81xVbT6wYr0pNe4sGhUc',
  AUTH_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://app@db/app',
  SMTP_URL: 'smtps://mail',
  MAIL_FROM: 'app@example.com',
}

type Source = Record<string, string | undefined>

const exchanged = fc
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
      ...sound,
      ...Object.fromEntries(chosen.map(({ name, value }) => [name, value])),
      NODE_ENV: 'production',
    }),
  )

const isHere = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

/** What must be true of any app that starts in production. Said once more, apart from the app's own words. */
function breaches(source: Source, read: (name: string) => unknown): string[] {
  const secret = String(read('AUTH_SECRET'))
  const url = new URL(String(read('AUTH_URL')))
  const origins = read('CORS_ORIGINS') as string[]
  const standIns = ['AUTH_GOOGLE_ISSUER', 'AUTH_GITHUB_URL'].filter((name) => source[name])
  const rules: [what: string, isBroken: boolean][] = [
    ['a weak secret', Buffer.byteLength(secret) < 32 || new Set(secret).size < 10],
    ['plain http where others can reach it', url.protocol !== 'https:' && !isHere(url.hostname)],
    ['an AUTH_URL that is more than an origin', url.origin !== read('AUTH_URL')],
    ['a site on the list that is no origin', origins.some((one) => !URL.canParse(one) || new URL(one).origin !== one)],
    ['a short password', Number(read('PASSWORD_MIN_LENGTH')) < 8],
    ['a stand-in for a provider', standIns.length > 0 && !isHere(url.hostname)],
    ['half a provider', Boolean(source.AUTH_GOOGLE_ID) !== Boolean(source.AUTH_GOOGLE_SECRET)],
    ['half another provider', Boolean(source.AUTH_GITHUB_ID) !== Boolean(source.AUTH_GITHUB_SECRET)],
    ['no place for mails', !/^smtps?:/.test(String(source.SMTP_URL))],
    ['no database', !/^postgres(ql)?:/.test(String(source.DATABASE_URL))],
    ['a number of proxies that is none', !Number.isInteger(read('TRUSTED_PROXY_HOPS'))],
    [
      'somebody or other as admin',
      source.ADMIN_EMAIL ? !/^[^@,\s<>]+@[^@,\s<>]+$/.test(String(read('ADMIN_EMAIL'))) : false,
    ],
  ]
  return rules.filter(([, isBroken]) => isBroken).map(([what]) => what)
}

/** A few combinations with the real app: what the check refuses does not start, and what it takes answers. */
async function bootSome(world: World, samples: Source[], problemsOf: (source: Source) => string): Promise<string> {
  let refused = 0
  const here = { ...sound, ...world.env, AUTH_URL: 'http://localhost:3000' }
  for (const source of samples) {
    const problems = problemsOf({ ...here, ...source })
    if (problems === '') {
      const node = await startServer('start', { ...here, ...source, WORKER: 'apart' } as Record<string, string>)
      try {
        assert.equal((await call(node.url, '/api/auth/session')).text, 'null')
        assert.equal((await call(node.url, '/api/health/ready')).status, 200)
      } finally {
        await node.stop()
      }
      continue
    }
    refused++
    // An empty value keeps .env from filling it in.
    const given = Object.fromEntries(Object.entries({ ...here, ...source }).map(([name, value]) => [name, value ?? '']))
    const { code, output, answered } = await runUntilExit(given)
    assert.notEqual(code, 0)
    assert.equal(answered, false)
    for (const name of Object.keys(source)) assert.ok(output.includes(name), `${name} is not named: ${output}`)
  }
  return `${samples.length} real starts, ${refused} refused`
}

check(
  'P-20',
  'with any settings the app either refuses to start and names each wrong one, or runs with safe ones',
  async (world) => {
    const [{ checkEnv, coreEnv, env }, { modules }] = await appCode<
      [typeof import('../../../src/core/env.ts'), typeof import('../../../src/modules.ts')]
    >(world, 'src/core/env.ts', 'src/modules.ts')
    const owners = [coreEnv, ...modules.flatMap((module) => module.env ?? [])]
    let started = 0
    const parsed = await holds(
      'P-20',
      fc.asyncProperty(exchanged, async (source) => {
        const problems = checkEnv(owners, source)
        if (problems !== '') {
          // Sentences that name the setting, and never its value where that is secret.
          const lines = problems.split('\n').filter((line) => line.startsWith('  '))
          assert.ok(lines.length > 0)
          for (const line of lines) assert.match(line, /^ {2}[A-Z0-9_]+( \(module \w+\))?: .{10,}/)
          if (source.AUTH_SECRET && source.AUTH_SECRET.length > 6) assert.ok(!problems.includes(source.AUTH_SECRET))
          return
        }
        started++
        const everything = { ...Object.fromEntries(Object.keys(values).map((name) => [name, undefined])), ...source }
        const found = await withSettings(everything, () => breaches(source, (name) => env[name as keyof typeof env]))
        assert.deepEqual(found, [])
      }),
      { note: () => `${started} might start` },
    )
    const boots = await bootSome(
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
