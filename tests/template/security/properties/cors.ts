import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode, withEnv } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

const origin = fc
  .tuple(fc.constantFrom('https://', 'http://'), fc.domain(), fc.option(fc.integer({ min: 1024, max: 65535 })))
  .map(([scheme, host, port]) => new URL(`${scheme}${host}${port ? `:${port}` : ''}`).origin)

/** Near misses of a listed origin. */
const nearMiss = fc.constantFrom<(origin: string) => string>(
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

check(
  'P-9',
  'another site may call exactly if its origin is in CORS_ORIGINS, character by character',
  async (world) => {
    const [{ corsHeaders, isAllowedOrigin, preflightHeaders }] = await importAppCode<
      [typeof import('../../../../src/core/http/cors.ts')]
    >(world, 'src/core/http/cors.ts')
    let allowed = 0
    return assertProperty(
      'P-9',
      fc.asyncProperty(
        fc.array(origin, { maxLength: 4 }),
        fc.nat(1),
        nearMiss,
        fc.oneof(origin, fc.webUrl(), fc.constantFrom('null', '*', 'https://*'), fc.string()),
        async (list, index, change, otherOrigin) => {
          const requestOrigin = change(list[index] ?? otherOrigin)
          await withEnv({ CORS_ORIGINS: list.join(',') || undefined }, () => {
            const isMember = list.includes(requestOrigin)
            assert.equal(isAllowedOrigin(requestOrigin), isMember)
            assert.equal(isAllowedOrigin(null), false)
            if (isMember) allowed++
            // Browsers cannot send an origin that a header cannot hold.
            if (!/^[\x21-\x7e]+$/.test(requestOrigin)) return
            const request = new Request('http://localhost:3000/', { headers: { origin: requestOrigin } })
            assert.equal(corsHeaders(request)['Access-Control-Allow-Origin'], isMember ? requestOrigin : undefined)
            assert.equal('Access-Control-Allow-Methods' in preflightHeaders(request, ['GET']), isMember)
          })
        },
      ),
      { examples: [], note: () => `${allowed} were allowed` },
    )
  },
)
