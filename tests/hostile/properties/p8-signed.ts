import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { Jar } from '../client.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

/** Another text, for certain: a letter put in, taken out or exchanged, an end cut off or put on. */
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
  'what the app signs or seals comes back as it was, and in any other spelling is worth nothing',
  async (world) => {
    const [{ seal, unseal }, { sign, isSigned }, { makeDevice, knownDevice }] = await appCode<
      [
        typeof import('../../../src/core/auth/sealed.ts'),
        typeof import('../../../src/core/auth/browser.ts'),
        typeof import('../../../src/core/auth/device.ts'),
      ]
    >(world, 'src/core/auth/sealed.ts', 'src/core/auth/browser.ts', 'src/core/auth/device.ts')
    const inCode = await holds(
      'P-8',
      fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), fc.string(), mutation, (text, id, purpose, change) => {
        const sealed = seal(purpose, text)
        assert.equal(unseal(purpose, sealed), text)
        assert.equal(unseal(purpose, change(sealed)), null)
        assert.equal(unseal(`${purpose}x`, sealed), null)

        const signature = sign('signup', id)
        assert.ok(isSigned('signup', id, signature))
        assert.ok(!isSigned('signup', id, change(signature)))
        assert.ok(!isSigned('signup', change(id), signature))
        assert.ok(!isSigned('connect', id, signature))

        const device = makeDevice(id)
        assert.equal(knownDevice(id, device), device.split('.')[0])
        assert.equal(knownDevice(id, change(device)), undefined)
      }),
      { examples: [] },
    )

    // Auth.js' own: the token for forms, which is in a cookie with its signature.
    const jar = new Jar()
    const { csrfToken } = (await world.get('/api/auth/csrf', { jar })).json()
    const right = jar.get('plinth.csrf')
    const partsOf = (cookie: string) => cookie.split(/%7c|\|/i).slice(0, 2)
    const isStarted = async (cookie: string, token: string) => {
      const { headers } = await world.get('/api/auth/signin/google', {
        body: new URLSearchParams({ csrfToken: token }).toString(),
        jar: new Jar({ 'plinth.csrf': cookie }),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.app.url },
      })
      return /code_challenge/.test(headers.location ?? '')
    }
    assert.ok(await isStarted(right, csrfToken))
    const overHttp = await holds(
      'P-8',
      fc.asyncProperty(mutation, fc.boolean(), async (change, isCookie) => {
        const cookie = isCookie ? change(right) : right
        // What a cookie can hold, and not the same once more: %7C is %7c, and Auth.js reads no further than two parts.
        fc.pre(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(cookie))
        fc.pre(!isCookie || String(partsOf(cookie)) !== String(partsOf(right)))
        assert.ok(!(await isStarted(cookie, isCookie ? csrfToken : change(csrfToken))), cookie)
      }),
      { examples: [] },
    )
    return `sealed and signed: ${inCode}; forms: ${overHttp}`
  },
)
