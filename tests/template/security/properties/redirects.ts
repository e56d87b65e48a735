import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { strangeUrl } from '../support/strange-url.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

check('P-4', 'returnPath always returns a path of this app, and maps its result to itself', async (world) => {
  const [{ returnPath }] = await importAppCode<[typeof import('../../../../src/core/auth/flows/return-path.ts')]>(
    world,
    'src/core/auth/flows/return-path.ts',
  )
  const url = fc.oneof(
    strangeUrl,
    strangeUrl.map((text) => `/${text}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string({ unit: 'binary' }),
  )
  const origin = fc.constantFrom('http://localhost:3000', 'https://app.example.com', 'http://[::1]:1')
  return assertProperty(
    'P-4',
    fc.property(url, origin, (value, base) => {
      const path = returnPath(value)
      assert.equal(new URL(path, base).origin, base)
      assert.equal(returnPath(path), path)
    }),
  )
})
