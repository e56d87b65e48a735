import 'server-only'
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'

type PublishedKey = JsonWebKey & { kid?: string }

/** By issuer. A provider changes its keys every few weeks. */
const known = new Map<string, PublishedKey[]>()

async function findKey(issuer: string, kid: string, ask: typeof fetch): Promise<PublishedKey | undefined> {
  const find = () => known.get(issuer)?.find((key) => key.kid === kid)
  if (find()) return find()
  const read = async (url: string) => (await ask(url)).json()
  const { jwks_uri } = await read(`${issuer}/.well-known/openid-configuration`)
  known.set(issuer, (await read(jwks_uri)).keys)
  return find()
}

/**
 * Auth.js checks all that an id token says, and not who signed it: it trusts the connection over which the token came.
 * We look at the signature too.
 */
export async function isSignedBy(issuer: string, token: string, ask: typeof fetch): Promise<boolean> {
  const [head = '', body = '', signature = ''] = token.split('.')
  const { alg, kid, crit } = JSON.parse(Buffer.from(head, 'base64url').toString())
  if (alg !== 'RS256' || crit !== undefined || typeof kid !== 'string') return false
  const key = await findKey(issuer, kid, ask)
  if (key?.kty !== 'RSA') return false
  const signed = Buffer.from(`${head}.${body}`)
  return verify('RSA-SHA256', signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url'))
}
