import 'server-only'
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose'

/** Where each issuer publishes its keys; they are fetched when needed, and again when one is unknown. */
const published = new Map<string, Promise<ReturnType<typeof createRemoteJWKSet>>>()

async function findKeys(issuer: string, ask: typeof fetch) {
  const { issuer: named, jwks_uri } = await (await ask(`${issuer}/.well-known/openid-configuration`)).json()
  if (named !== issuer) throw new Error(`${issuer} describes itself as another provider`)
  return createRemoteJWKSet(new URL(jwks_uri), { [customFetch]: ask })
}

/**
 * Auth.js checks all that an id token says, and not who signed it: it trusts the connection over which the token came.
 * We look at the signature too.
 */
export async function isSignedBy(issuer: string, token: string, ask: typeof fetch): Promise<boolean> {
  const keys = published.get(issuer) ?? findKeys(issuer, ask)
  published.set(issuer, keys)
  try {
    await jwtVerify(token, await keys, { issuer, algorithms: ['RS256'] })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return false
    published.delete(issuer)
    throw error
  }
}
