import { createHash, randomBytes } from 'node:crypto'
import { profileOf, startIssuer } from '../../../scripts/oauth.ts'

const opaqueId = (email: string) => createHash('sha256').update(email).digest('hex').slice(0, 20)

/**
 * Starts an OpenID issuer that differs from Google as those of companies do: it has a path, its subjects are opaque, and only its
 * userinfo endpoint tells name and email. Returns the environment variables for the app.
 */
export async function startAcme(appUrl: string): Promise<{ env: Record<string, string>; stop: () => Promise<void> }> {
  const client = { id: 'acme-client', secret: randomBytes(24).toString('base64url') }
  const { issuer, stop } = await startIssuer(appUrl, {
    name: 'Acme SSO',
    providerId: 'oidc-acme',
    client,
    path: '/tenants/acme',
    configuration: {
      conformIdTokenClaims: true,
      findAccount: (_context, id) => ({
        accountId: id,
        claims: async () => ({ sub: opaqueId(id), ...profileOf(id) }),
      }),
    },
  })
  const env = {
    AUTH_OIDC_ACME_ISSUER: issuer,
    AUTH_OIDC_ACME_CLIENT_ID: client.id,
    AUTH_OIDC_ACME_CLIENT_SECRET: client.secret,
    AUTH_OIDC_ACME_NAME: 'Acme SSO',
  }
  return { env, stop }
}
