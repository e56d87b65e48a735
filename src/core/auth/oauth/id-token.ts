import 'server-only'
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Provider } from './define-provider'

/** The key set of each issuer. Keys are fetched when needed, and again if a key id is unknown. */
const keySets = new Map<string, Promise<ReturnType<typeof createRemoteJWKSet>>>()

async function findKeys(issuer: string, fetchFn: typeof fetch) {
  const { issuer: configuredIssuer, jwks_uri } = await (
    await fetchFn(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  ).json()
  if (configuredIssuer !== issuer) throw new Error(`${issuer} returned the configuration of another issuer`)
  return createRemoteJWKSet(new URL(jwks_uri), { [customFetch]: fetchFn })
}

/**
 * Verifies the signature of an ID token and returns its claims, or null. Auth.js checks only the claims and trusts the TLS
 * connection to the provider. It accepts an `iat` in the future, too; clocks may differ by a minute.
 */
export async function readIdToken(issuer: string, token: string, fetchFn: typeof fetch): Promise<JWTPayload | null> {
  const keys = keySets.get(issuer) ?? findKeys(issuer, fetchFn)
  keySets.set(issuer, keys)
  try {
    const { payload } = await jwtVerify(token, await keys, { issuer, algorithms: ['RS256'] })
    return typeof payload.iat === 'number' && payload.iat <= Date.now() / 1000 + 60 ? payload : null
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return null
    keySets.delete(issuer)
    throw error
  }
}

/**
 * When the user authenticated at the provider. If it can be asked to authenticate the user again, only its own word counts:
 * without `auth_time` the user may have been signed in there for weeks, and the parameters that ask for it pass through the
 * browser, where they can be removed. Undefined, which counts as now, only if the provider never says it.
 */
export function authenticationTime(
  { reauthentication }: Pick<Provider, 'reauthentication'>,
  { auth_time }: Record<string, unknown>,
): Date | undefined {
  if (typeof auth_time === 'number') return new Date(Math.min(auth_time * 1000, Date.now()))
  return reauthentication && new Date(0)
}
