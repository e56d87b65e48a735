import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

const secret = 'sEcReT0123456789'

/** Names of fields that hold secrets, in several naming styles. */
const name = fc
  .tuple(
    fc.constantFrom('', 'user', 'old', 'x', 'db', 'AUTH', 'client'),
    fc.constantFrom(
      ...[
        ['password'],
        ['pass', 'word'],
        ['passwd'],
        ['passphrase'],
        ['secret'],
        ['token'],
        ['authorization'],
        ['cookie'],
      ],
      ...[
        ['set', 'cookie'],
        ['credentials'],
        ['api', 'key'],
        ['hash'],
        ['nonce'],
        ['dsn'],
        ['pwd'],
        ['private', 'key'],
      ],
      ...[
        ['access', 'token'],
        ['refresh', 'token'],
        ['session', 'token'],
        ['csrf', 'token'],
      ],
    ),
    fc.constantFrom('snake', 'kebab', 'camel', 'upper'),
  )
  .map(([before, words, style]) => {
    const all = before ? [before, ...words] : words
    const capital = (word: string) => (word[0] ?? '').toUpperCase() + word.slice(1)
    if (style === 'camel') return all.map((word, index) => (index === 0 ? word : capital(word))).join('')
    if (style === 'upper') return all.join('_').toUpperCase()
    return all.join(style === 'snake' ? '_' : '-')
  })

/** Texts in which a secret is recognizable by itself. */
const recognizableText = fc
  .tuple(
    fc.constantFrom(
      `Bearer ${secret}`,
      `bearer   ${secret}`,
      `postgres://app:${secret}@db/app`,
      `postgresql://app:p@${secret}@db/app`,
      `redis://:${secret}@cache:6379`,
      `rediss://${secret}@cache`,
      `smtps://mail:${secret}@mail.example.com:465`,
      `$argon2id$v=19$m=19456,t=2,p=1$${secret}$${secret}`,
    ),
    fc.string(),
    fc.string(),
  )
  .map(([text, before, after]) => `${before.replaceAll(/["']/g, '')} ${text} ${after}`)

/** Any value with a secret somewhere in it. */
const valueWithSecret = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    recognizableText,
    fc
      .tuple(name, fc.constantFrom<unknown>(secret, [secret], { value: secret }, Buffer.from(secret), [[secret]]))
      .map(([key, value]) => ({ [key]: value })),
    fc.tuple(fc.string(), fc.anything(), tie('node')).map(([key, other, node]) => ({ other, [`a${key}`]: node })),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
    tie('node').map((node) => new Map([['inside', node]])),
    tie('node').map((node) => new Set([node])),
    tie('node').map((node) => new Error('it failed', { cause: node })),
    recognizableText.map((text) => new Error(text)),
    fc
      .tuple(recognizableText, tie('node'))
      .map(([text, node]) => Object.assign(new Error(`Failed query\nparams: ${text}`), { node })),
  ),
})).node

check('P-16', 'no log line contains a secret, however deeply nested, under any name, in any text', async (world) => {
  const [{ createLog }] = await importAppCode<[typeof import('../../../../src/core/log.ts')]>(world, 'src/core/log.ts')
  const lines: string[] = []
  const log = createLog({ write: (line: string) => void lines.push(line) })
  log.level = 'info'
  return assertProperty(
    'P-16',
    fc.property(valueWithSecret, recognizableText, (value, text) => {
      lines.length = 0
      log.info({ value }, 'a field')
      log.warn(value as object)
      log.error(value instanceof Error ? value : { error: value }, text)
      assert.equal(lines.length, 3)
      for (const line of lines) {
        assert.ok(!line.includes(secret), line)
        assert.ok(!line.includes(Buffer.from(secret).toString('base64').slice(0, 12)), line)
        assert.equal(line.indexOf('\n'), line.length - 1)
        JSON.parse(line)
      }
    }),
  )
})
