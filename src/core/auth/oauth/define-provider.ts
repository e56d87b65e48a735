// Imported by core/env.ts and by the post-build script, so a provider must not import env.ts, and imports Auth.js in `load` only.
import type { customFetch } from 'next-auth'
import type { Provider as AuthProvider, OAuthUserConfig } from 'next-auth/providers'
import { z } from 'zod'
import { bothOrNeither, defineEnv, type Env, isOrigin, onlyLocal, type Setting } from '../../define-env'

/** A path of the logo in a 24 by 24 view box. Without a color it has the color of the text. */
export interface LogoPath {
  d: string
  fill?: string
}

/** What a provider says about a user. Any field may have any type. */
export type ProviderProfile = Record<string, unknown>

interface LoadOptions {
  /** To pass on to Auth.js: a fetch with a timeout, and that no tokens are stored. */
  options: Pick<OAuthUserConfig<unknown>, 'account' | typeof customFetch>
  /** For requests of its own. Times out and follows no redirects. */
  fetchFn: typeof fetch
}

/** An OAuth provider, as the rest of the app sees it. */
export interface Provider {
  /** In URLs and in the database: `google`. */
  id: string
  name: string
  logo: readonly LogoPath[]
  /** Whether this deployment has credentials for it. Only then is it offered. */
  isConfigured: boolean
  /** Whether "npm run dev" can start a server that stands in for it, and whether one does. */
  hasStandIn: boolean
  isStandIn: boolean
  /** Where the form of its button leads, for `form-action` of the content security policy. */
  formTargets: string[]
  /** The issuer of its ID tokens, whose signature is then verified. Undefined for plain OAuth without ID tokens. */
  issuer?: string | undefined
  /**
   * Parameters that make the provider ask the user to authenticate again, if it supports that. Then a sign-in counts as
   * reauthentication only by the time that the provider says (`auth_time`).
   */
  reauthentication?: Record<string, string> | undefined
  /** Whether the provider has verified the email of this profile. */
  isEmailVerified: (profile: ProviderProfile) => boolean
  load: (options: LoadOptions) => Promise<AuthProvider>
}

/** The export `provider` of a file in providers/. */
export interface ProviderFile {
  /** Position of its button on the sign-in page. */
  order: number
  env: Env
  /** The form targets that are known without settings, for pages that are rendered at build time. */
  formTargets: string[]
  /** Its providers, with those that are not configured. Reads the settings. */
  list: () => Provider[]
}

interface ProviderDefinition
  extends Pick<Provider, 'id' | 'name' | 'logo' | 'reauthentication' | 'isEmailVerified'>,
    Pick<ProviderFile, 'order'> {
  /** The origin of the page where users sign in. */
  origin: string
  /** The provider sends ID tokens (OpenID Connect), and `origin` is their issuer. */
  hasIdToken?: boolean
  /** The setting with the origin of a server that stands in for the provider in development. */
  standIn?: string
  /** Creates the configuration for Auth.js. `origin` is that of the stand-in, if there is one. */
  load: (client: {
    options: LoadOptions['options'] & Pick<OAuthUserConfig<unknown>, 'clientId' | 'clientSecret'>
    origin: string
    fetchFn: typeof fetch
  }) => Promise<AuthProvider>
}

/**
 * Defines a provider: the only place that names it. Its settings are `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`. See docs/recipes.md.
 */
export function defineProvider(definition: ProviderDefinition): ProviderFile {
  const { order, origin, hasIdToken, standIn, load, ...provider } = definition
  const { id, name } = provider
  const prefix = `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
  const [idName, secretName] = [`${prefix}_ID`, `${prefix}_SECRET`]
  const settings: Record<string, Setting> = {
    [idName]: { schema: z.string().optional(), hint: `The client id from ${name}` },
    [secretName]: { schema: z.string().optional(), hint: `The client secret from ${name}` },
  }
  if (standIn)
    settings[standIn] = {
      schema: z.string().refine(isOrigin, 'is not an origin').optional(),
      hint: `The URL of a server that stands in for ${name}, for development`,
    }
  const rules = [bothOrNeither(idName, secretName, `Sign-in with ${name}`), ...(standIn ? [onlyLocal(standIn)] : [])]
  const { values, ...env } = defineEnv('core', settings, ...rules)
  const read = (setting: string) => asString(values[setting]) ?? undefined

  const list = (): Provider[] => {
    const [clientId, clientSecret] = [read(idName), read(secretName)]
    const standInOrigin = standIn && read(standIn)
    const actualOrigin = standInOrigin || origin
    return [
      {
        ...provider,
        isConfigured: Boolean(clientId && clientSecret),
        hasStandIn: standIn !== undefined,
        isStandIn: Boolean(standInOrigin),
        formTargets: [...new Set([origin, actualOrigin])],
        issuer: hasIdToken ? actualOrigin : undefined,
        load: ({ options, fetchFn }) =>
          load({ options: { ...options, clientId, clientSecret }, origin: actualOrigin, fetchFn }),
      },
    ]
  }
  return { order, env, formTargets: [origin], list }
}

/** The provider may send any type in a profile field; only strings are accepted. */
export const asString = (value: unknown) => (typeof value === 'string' ? value : null)
