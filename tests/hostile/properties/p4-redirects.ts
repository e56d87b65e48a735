import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { strangeAddress } from '../strange-address.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

check('P-4', 'whatever is given as a place to go to, it is a place of this app, and leads to itself', async (world) => {
  const [{ returnPath }] = await appCode<[typeof import('../../../src/core/auth/return-path.ts')]>(
    world,
    'src/core/auth/return-path.ts',
  )
  const address = fc.oneof(
    strangeAddress,
    strangeAddress.map((text) => `/${text}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }),
  )
  const origin = fc.constantFrom('http://localhost:3000', 'https://app.example.com', 'http://[::1]:1')
  return holds(
    'P-4',
    fc.property(address, origin, (value, base) => {
      const path = returnPath(value)
      assert.equal(new URL(path, base).origin, base)
      assert.equal(returnPath(path), path)
    }),
  )
})
