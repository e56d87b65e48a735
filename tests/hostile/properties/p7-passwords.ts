import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.stringMatching(/^[ -~]{1,60}$/),
)

/** Another password that differs as little as can be, or not at all. */
const near: fc.Arbitrary<(password: string) => string> = fc.oneof(
  fc.constantFrom<(password: string) => string>(
    (password) => password.normalize('NFD'),
    (password) => `${password} `,
    (password) => ` ${password}`,
    (password) => `${password}\0`,
    (password) => password.slice(1),
    (password) => password.slice(0, -1),
    (password) => password.toUpperCase(),
    (password) => password.repeat(2),
    (password) => password.normalize('NFKC'),
  ),
  fc.constant((password: string) => password),
  text.map((other) => () => other),
)

check(
  'P-7',
  'a password opens what was made with it, in whatever form it is typed, and nothing else does',
  async (world) => {
    const [{ hashPassword, verifyPassword, isPossiblePassword }] = await appCode<
      [typeof import('../../../src/core/auth/password.ts')]
    >(world, 'src/core/auth/password.ts')
    let same = 0
    return holds(
      'P-7',
      fc.asyncProperty(text.filter(isPossiblePassword), near, async (password, change) => {
        const other = change(password)
        // The app refuses it before it hashes.
        fc.pre(isPossiblePassword(other))
        const stored = await hashPassword(password)
        const isSame = other.normalize('NFC') === password.normalize('NFC')
        if (isSame) same++
        assert.equal((await verifyPassword(stored, other)).isRight, isSame)
      }),
      { examples: [], note: () => `${same} times the same in another form` },
    )
  },
)
