import { createHash } from 'node:crypto'
import type { Profile } from 'next-auth'
import type { OIDCConfig } from 'next-auth/providers'
import { defineEnv, type Env, isLocal, isLoopback, type Rule, type Source } from '../../../define-env'
import { asString, type Provider, type ProviderFile } from '../define-provider'

// Any number of OpenID issuers (Entra ID, Okta, Keycloak, Authentik, Auth0, …), each by its settings AUTH_OIDC_<NAME>_…
const settingPattern = /^AUTH_OIDC_([A-Z0-9]+(?:_[A-Z0-9]+)*?)_(ISSUER|CLIENT_ID|CLIENT_SECRET|NAME|TRUST_EMAIL)$/
const requiredParts = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'] as const

type Parts = Partial<Record<(typeof requiredParts)[number] | 'NAME' | 'TRUST_EMAIL', string>>

/** The settings of each issuer, by `<NAME>`. */
function readIssuers(source: Source): [key: string, parts: Parts][] {
  const issuers = new Map<string, Parts>()
  for (const [name, value] of Object.entries(source)) {
    const [, key, part] = settingPattern.exec(name) ?? []
    if (key && part && value) issuers.set(key, { ...issuers.get(key), [part]: value })
  }
  return [...issuers].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What is wrong with an issuer; null if it is a URL that ID tokens can be verified with. */
function issuerProblem(issuer: string, source: Source): string | null {
  if (!URL.canParse(issuer)) return 'is not a URL'
  const { protocol, hostname, search, hash, username } = new URL(issuer)
  if (search || hash || username) return 'is not an issuer: it has a query, a fragment or a user'
  if (protocol === 'https:') return null
  return protocol === 'http:' && isLoopback(hostname) && isLocal(source) ? null : 'must be https'
}

const issuerHint = 'The issuer exactly as in its ID tokens: https://login.example.com/tenant'

const checkIssuers: Rule = (source) => {
  const unknown = Object.keys(source).filter(
    (name) => name.startsWith('AUTH_OIDC_') && source[name] && !settingPattern.test(name),
  )
  const problems = readIssuers(source).flatMap(([key, parts]) => {
    const nameOf = (part: keyof Parts) => `AUTH_OIDC_${key}_${part}`
    const missing = requiredParts.filter((part) => !parts[part])
    const problem = parts.ISSUER && issuerProblem(parts.ISSUER, source)
    return [
      ...missing.map((part) => ({
        name: nameOf(part),
        message: `is missing. An OpenID issuer needs ${requiredParts.map(nameOf).join(', ')}`,
      })),
      ...(problem ? [{ name: nameOf('ISSUER'), message: `${problem}. ${issuerHint}` }] : []),
      ...(parts.TRUST_EMAIL && parts.TRUST_EMAIL !== 'true'
        ? [{ name: nameOf('TRUST_EMAIL'), message: 'can only be true' }]
        : []),
    ]
  })
  return [
    ...unknown.map((name) => ({ name, message: 'is not a setting. .env.example lists those of OpenID issuers' })),
    ...problems,
  ]
}

const env: Env = defineEnv('core', {}, checkIssuers)

/** `ACME_EU` is shown as "Acme Eu", unless a name is set. */
const defaultName = (key: string) =>
  key
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join(' ')

/** A `sub` is unique only at its issuer. So other users with the same one do not match after the setting was changed. */
const issuerMark = (issuer: string) => createHash('sha256').update(issuer).digest('base64url').slice(0, 16)

function makeProvider(key: string, issuer: string, parts: Parts): Provider {
  const id = `oidc-${key.toLowerCase().replaceAll('_', '-')}`
  const name = parts.NAME ?? defaultName(key)
  return {
    id,
    name,
    logo: [{ d: 'M12.65 10a6 6 0 1 0 0 4H17v4h4v-4h2v-4H12.65zM7 14a2 2 0 1 1 0-4 2 2 0 0 1 0 4z' }],
    isConfigured: true,
    hasStandIn: false,
    isStandIn: false,
    formTargets: [new URL(issuer).origin],
    issuer,
    // Some issuers know only one of the two.
    reauthentication: { prompt: 'login', max_age: '0' },
    isEmailVerified: ({ email_verified = parts.TRUST_EMAIL === 'true' }) => email_verified === true,
    load: async ({ options }) => {
      const config: OIDCConfig<Profile> = {
        ...options,
        id,
        name,
        type: 'oidc',
        issuer,
        clientId: parts.CLIENT_ID,
        clientSecret: parts.CLIENT_SECRET,
        checks: ['pkce', 'state', 'nonce'],
        // Name and email come from the userinfo endpoint: many issuers leave them out of the ID token.
        idToken: false,
        profile: (profile) => ({
          id: profile.sub ? `${issuerMark(issuer)}:${profile.sub}` : undefined,
          name: asString(profile.name),
          email: asString(profile.email),
        }),
      }
      return config
    },
  }
}

export const provider: ProviderFile = {
  order: 30,
  env,
  formTargets: [],
  list: () =>
    readIssuers(process.env).flatMap(([key, parts]) => {
      const isComplete = requiredParts.every((part) => parts[part])
      return isComplete && parts.ISSUER && URL.canParse(parts.ISSUER) ? [makeProvider(key, parts.ISSUER, parts)] : []
    }),
}
