import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode, withSettings } from './app-code.ts'
import { holds } from './property.ts'

const origin = fc
  .tuple(fc.constantFrom('https://', 'http://'), fc.domain(), fc.option(fc.integer({ min: 1024, max: 65535 })))
  .map(([scheme, host, port]) => new URL(`${scheme}${host}${port ? `:${port}` : ''}`).origin)

/** What is nearly one of them. */
const near = fc.constantFrom<(origin: string) => string>(
  (value) => value,
  (value) => value,
  (value) => value,
  (value) => `${value}/`,
  (value) => `${value}.evil.example`,
  (value) => value.toUpperCase(),
  (value) => value.replace('://', '://evil.'),
  (value) => value.replace('://', '://evil-'),
  (value) => value.replace(/^https?/, (scheme) => (scheme === 'https' ? 'http' : 'https')),
  (value) => `${value}:443`,
  (value) => value.slice(0, -1),
  (value) => `${value},${value}`,
  (value) => value.replaceAll('.', 'x'),
  (value) => value.replace('://', '://user@'),
)

check('P-9', 'another site may call exactly when its origin is on the list, letter by letter', async (world) => {
  const [{ corsHeaders, isAllowedOrigin, preflightHeaders }] = await appCode<
    [typeof import('../../../src/core/cors.ts')]
  >(world, 'src/core/cors.ts')
  let allowed = 0
  return holds(
    'P-9',
    fc.asyncProperty(
      fc.array(origin, { maxLength: 4 }),
      fc.nat(1),
      near,
      fc.oneof(origin, fc.webUrl(), fc.constantFrom('null', '*', 'https://*'), fc.string()),
      async (list, index, change, stranger) => {
        const asked = change(list[index] ?? stranger)
        await withSettings({ CORS_ORIGINS: list.join(',') || undefined }, () => {
          const isMember = list.includes(asked)
          assert.equal(isAllowedOrigin(asked), isMember)
          assert.equal(isAllowedOrigin(null), false)
          if (isMember) allowed++
          // What a header cannot hold, a browser cannot send; and a header has no spaces around it.
          if (!/^[\x21-\x7e]+$/.test(asked)) return
          const request = new Request('http://localhost:3000/', { headers: { origin: asked } })
          assert.equal(corsHeaders(request)['Access-Control-Allow-Origin'], isMember ? asked : undefined)
          assert.equal('Access-Control-Allow-Methods' in preflightHeaders(request, ['GET']), isMember)
        })
      },
    ),
    { examples: [], note: () => `${allowed} were allowed` },
  )
})
