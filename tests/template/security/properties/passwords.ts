import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.stringMatching(/^[ -~]{1,60}$/),
)

/** Another password that differs as little as possible, or not at all. */
const variant: fc.Arbitrary<(password: string) => string> = fc.oneof(
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
  'a hash verifies its password in any Unicode form, and no other password',
  async (world) => {
    const [{ hashPassword, verifyPassword, isPossiblePassword }] = await importAppCode<
      [typeof import('../../../../src/core/auth/password/hash.ts')]
    >(world, 'src/core/auth/password/hash.ts')
    let same = 0
    return assertProperty(
      'P-7',
      fc.asyncProperty(text.filter(isPossiblePassword), variant, async (password, change) => {
        const other = change(password)
        // The app rejects it before hashing.
        fc.pre(isPossiblePassword(other))
        const stored = await hashPassword(password)
        const isSame = other.normalize('NFC') === password.normalize('NFC')
        if (isSame) same++
        assert.equal((await verifyPassword(stored, other)).isCorrect, isSame)
      }),
      { examples: [], note: () => `${same} times the same in another form` },
    )
  },
  { full: 'takes long' },
)
