import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

type Validator = [name: string, run: (text: string) => unknown]

/** Parts that can be slow for regular expressions, parsers and Unicode normalization. */
const part = fc.oneof(
  fc.constantFrom(
    ...['a', ' ', '\t', '.', '-', '@', '/', '\\', ',', ':', '%', '0', '\n', '\0', '$argon2', 'Bearer ', 'postgres://'],
    ...['a.', 'a@', '/..', '::', '\u0301\u0323', '\u0f71\u0f72\u0f74', '\u3099', '\u1100\u1161', '\u{1f600}', '\ud800'],
    ...['\nparams: ', '\n    at ', '\u200b', '\u202e', 'Passw0rd!', '<', '"'],
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
)

/** A prefix, a part repeated many times, and a suffix: the typical shape of slow input. */
const shape = fc.tuple(
  fc.constantFrom('', 'a', '/', 'a@', 'postgres://', ' '),
  part,
  fc.constantFrom('', '!', '\n', '@'),
)

const small = 4_000
const factor = 10

function textOf([head, middle, tail]: [string, string, string], length: number): string {
  return head + middle.repeat(Math.ceil(length / middle.length)) + tail
}

/** CPU time of this process, so that other load on the machine does not count. */
function cost(run: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  run(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

check(
  'P-5',
  'validating ten times as much text takes about ten times as long, for any text',
  async (world) => {
    const [email, userName, passwordRules, password, path, ip, log, token, cors] = await importAppCode<
      [
        typeof import('../../../../src/core/auth/user/email.ts'),
        typeof import('../../../../src/core/auth/user/name.ts'),
        typeof import('../../../../src/core/auth/password/rules.ts'),
        typeof import('../../../../src/core/auth/password/hash.ts'),
        typeof import('../../../../src/core/auth/flows/return-path.ts'),
        typeof import('../../../../src/core/http/client-ip.ts'),
        typeof import('../../../../src/core/log.ts'),
        typeof import('../../../../src/core/auth/tokens/token.ts'),
        typeof import('../../../../src/core/http/cors.ts'),
      ]
    >(
      world,
      'src/core/auth/user/email.ts',
      'src/core/auth/user/name.ts',
      'src/core/auth/password/rules.ts',
      'src/core/auth/password/hash.ts',
      'src/core/auth/flows/return-path.ts',
      'src/core/http/client-ip.ts',
      'src/core/log.ts',
      'src/core/auth/tokens/token.ts',
      'src/core/http/cors.ts',
    )
    // The list of common passwords is loaded on first use.
    await passwordRules.passwordProblem('a long walk by the sea', '')
    const forwarded = (text: string) => new Map([['x-forwarded-for', text]]) as unknown as Headers
    const validators: Validator[] = [
      ['an email', email.normalizeEmail],
      ['a name', userName.normalizeName],
      ['a new password', (text) => passwordRules.passwordProblem(text, '')],
      ['a password', password.isPossiblePassword],
      ['a return path', path.returnPath],
      ['X-Forwarded-For', (text) => ip.clientIp(forwarded(text), 2)],
      ['an IP', ip.ipGroup],
      ['a log line', log.redact],
      ['an error in the log', (text) => log.redact(new Error(text))],
      ['a token', token.isToken],
      ['an origin', cors.isAllowedOrigin],
    ]
    let slowest = { took: 0, by: '' }
    const result = await assertProperty(
      'P-5',
      fc.property(fc.nat(validators.length - 1), shape, (index, parts) => {
        const [name, run] = validators[index] as Validator
        const [shortText, longText] = [textOf(parts, small), textOf(parts, small * factor)]
        // Measured in turns, the minimum of three: a pause of the machine affects one of them, not all.
        const rounds = [0, 1, 2].map(() => [cost(run, shortText), cost(run, longText)] as const)
        const [shortMs, longMs] = [Math.min(...rounds.map(([one]) => one)), Math.min(...rounds.map(([, ten]) => ten))]
        if (longMs > slowest.took) slowest = { took: longMs, by: name }
        // Differences below a few milliseconds are noise. Quadratic time would be a hundred times as long.
        assert.ok(
          longMs < 5 || longMs < shortMs * 3 * factor,
          `${name}: ${shortMs} ms, but ${longMs} ms for ${factor} times as much`,
        )
      }),
      { note: () => `the slowest: ${slowest.by}, ${slowest.took} ms for ${small * factor} characters` },
    )
    return result
  },
  { full: 'measures time or memory' },
)
