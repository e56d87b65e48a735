import assert from 'node:assert/strict'
import fc from 'fast-check'
import { appSlug } from '../../../../src/brand.ts'
import { check } from '../../../app/support/checks.ts'
import { Jar } from '../../../app/support/http-client.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

/** Always a different text: a character inserted, removed or replaced, or the end truncated or extended. */
const mutation = fc
  .tuple(
    fc.constantFrom('put', 'take', 'exchange', 'cut', 'add'),
    fc.nat(),
    fc.oneof(fc.constantFrom('A', '=', '.', '|', '%', '-', '_', ' ', '\n', '\0', 'é'), fc.string({ minLength: 1 })),
  )
  .map(([how, where, text]) => (value: string) => {
    const at = where % (value.length + (how === 'put' ? 1 : 0))
    const [before, after] = [value.slice(0, at), value.slice(at)]
    const changed = {
      put: before + text + after,
      take: before + after.slice(1),
      exchange: before + text + after.slice(1),
      cut: before,
      add: value + text,
    }[how]
    return changed === value ? `${value}A` : (changed ?? '')
  })

check(
  'P-8',
  'signed and encrypted values round-trip, and any altered value is rejected',
  async (world) => {
    const [{ encrypt, decrypt }, { sign, isSigned }, { createTrustedDevice, verifyTrustedDevice }] =
      await importAppCode<
        [
          typeof import('../../../../src/core/auth/tokens/encrypt.ts'),
          typeof import('../../../../src/core/auth/session/cookies.ts'),
          typeof import('../../../../src/core/auth/session/trusted-device.ts'),
        ]
      >(
        world,
        'src/core/auth/tokens/encrypt.ts',
        'src/core/auth/session/cookies.ts',
        'src/core/auth/session/trusted-device.ts',
      )
    const inCode = await assertProperty(
      'P-8',
      fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), fc.string(), mutation, (text, id, purpose, change) => {
        const encrypted = encrypt(purpose, text)
        assert.equal(decrypt(purpose, encrypted), text)
        assert.equal(decrypt(purpose, change(encrypted)), null)
        assert.equal(decrypt(`${purpose}x`, encrypted), null)

        const signature = sign('signup', id)
        assert.ok(isSigned('signup', id, signature))
        assert.ok(!isSigned('signup', id, change(signature)))
        assert.ok(!isSigned('signup', change(id), signature))
        assert.ok(!isSigned('connect', id, signature))

        const set = new Date(0)
        const trustedDevice = createTrustedDevice(id, set)
        assert.equal(verifyTrustedDevice(id, set, trustedDevice), trustedDevice.split('.')[0])
        assert.equal(verifyTrustedDevice(id, set, change(trustedDevice)), undefined)
        assert.equal(verifyTrustedDevice(id, new Date(1), trustedDevice), undefined)
      }),
      { examples: [] },
    )

    // Auth.js' CSRF token, which is in a cookie with its signature.
    const jar = new Jar()
    const { csrfToken } = (await world.get('/api/auth/csrf', { jar })).json()
    const right = jar.get(`${appSlug}.csrf`)
    const partsOf = (cookie: string) => cookie.split(/%7c|\|/i).slice(0, 2)
    const isStarted = async (cookie: string, token: string) => {
      const { headers } = await world.get('/api/auth/signin/google', {
        body: new URLSearchParams({ csrfToken: token }).toString(),
        jar: new Jar({ [`${appSlug}.csrf`]: cookie }),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.app.url },
      })
      return /code_challenge/.test(headers.location ?? '')
    }
    assert.ok(await isStarted(right, csrfToken))
    const overHttp = await assertProperty(
      'P-8',
      fc.asyncProperty(mutation, fc.boolean(), async (change, isCookie) => {
        const cookie = isCookie ? change(right) : right
        // Only values that a cookie can hold and that differ: %7C equals %7c, and Auth.js reads only the first two
        // parts.
        fc.pre(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(cookie))
        fc.pre(!isCookie || String(partsOf(cookie)) !== String(partsOf(right)))
        assert.ok(!(await isStarted(cookie, isCookie ? csrfToken : change(csrfToken))), cookie)
      }),
      { examples: [] },
    )
    return `encrypted and signed: ${inCode}; forms: ${overHttp}`
  },
  { full: 'takes long' },
)
