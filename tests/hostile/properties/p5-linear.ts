import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

type Validator = [name: string, run: (text: string) => unknown]

/** Bits that regular expressions, parsers and Unicode take long about, when they do. */
const bit = fc.oneof(
  fc.constantFrom(
    ...['a', ' ', '\t', '.', '-', '@', '/', '\\', ',', ':', '%', '0', '\n', '\0', '$argon2', 'Bearer ', 'postgres://'],
    ...['a.', 'a@', '/..', '::', '\u0301\u0323', '\u0f71\u0f72\u0f74', '\u3099', '\u1100\u1161', '\u{1f600}', '\ud800'],
    ...['\nparams: ', '\n    at ', '\u200b', '\u202e', 'Passw0rd!', '<', '"'],
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }),
)

/** One beginning, one thing many times, one end: what takes long looks so. */
const shape = fc.tuple(
  fc.constantFrom('', 'a', '/', 'a@', 'postgres://', ' '),
  bit,
  fc.constantFrom('', '!', '\n', '@'),
)

const small = 4_000
const factor = 10

function textOf([head, middle, tail]: [string, string, string], length: number): string {
  return head + middle.repeat(Math.ceil(length / middle.length)) + tail
}

/** Processor time of this process: what others do on the machine does not count. */
function cost(run: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage()
  run(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

check('P-5', 'checking ten times as much text takes about ten times as long, whatever the text is', async (world) => {
  const [email, people, password, path, address, log, token, cors] = await appCode<
    [
      typeof import('../../../src/core/auth/email.ts'),
      typeof import('../../../src/core/auth/people.ts'),
      typeof import('../../../src/core/auth/password.ts'),
      typeof import('../../../src/core/auth/return-path.ts'),
      typeof import('../../../src/core/address.ts'),
      typeof import('../../../src/core/log.ts'),
      typeof import('../../../src/core/auth/token.ts'),
      typeof import('../../../src/core/cors.ts'),
    ]
  >(
    world,
    'src/core/auth/email.ts',
    'src/core/auth/people.ts',
    'src/core/auth/password.ts',
    'src/core/auth/return-path.ts',
    'src/core/address.ts',
    'src/core/log.ts',
    'src/core/auth/token.ts',
    'src/core/cors.ts',
  )
  // The words of everybody's passwords are loaded with the first question.
  await people.passwordProblem('a long walk by the sea', '')
  const forwarded = (text: string) => new Map([['x-forwarded-for', text]]) as unknown as Headers
  const validators: Validator[] = [
    ['an e-mail address', email.normalizeEmail],
    ['a name', people.normalizeName],
    ['a new password', (text) => people.passwordProblem(text, '')],
    ['a password', password.isPossiblePassword],
    ['a place to go to', path.returnPath],
    ['a chain of proxies', (text) => address.clientAddress(forwarded(text), 2)],
    ['an address of the network', address.addressGroup],
    ['a line of the log', log.redact],
    ['an error in the log', (text) => log.redact(new Error(text))],
    ['a token', token.isToken],
    ['an origin', cors.isAllowedOrigin],
  ]
  let worst = { took: 0, by: '' }
  const result = await holds(
    'P-5',
    fc.property(fc.nat(validators.length - 1), shape, (index, parts) => {
      const [name, run] = validators[index] as Validator
      const [few, many] = [textOf(parts, small), textOf(parts, small * factor)]
      // Taken in turns, the least of three: a pause of the machine is in one of them, not in all.
      const rounds = [0, 1, 2].map(() => [cost(run, few), cost(run, many)] as const)
      const [little, much] = [Math.min(...rounds.map(([one]) => one)), Math.min(...rounds.map(([, ten]) => ten))]
      if (much > worst.took) worst = { took: much, by: name }
      // Below some milliseconds nothing is told apart. A hundred times as long is what must not be.
      assert.ok(
        much < 5 || much < little * 3 * factor,
        `${name}: ${little} ms, and ${much} ms for ${factor} times as much`,
      )
    }),
    { note: () => `the longest: ${worst.by}, ${worst.took} ms for ${small * factor} characters` },
  )
  return result
})
