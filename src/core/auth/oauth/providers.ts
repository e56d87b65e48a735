import 'server-only'
import { env } from '../../env'

/** The two that the interface names; each is offered when its client is configured. */
export const providerNames = { google: 'Google', github: 'GitHub' } as const
export type ProviderId = keyof typeof providerNames

export function isProviderId(id: string | undefined): id is ProviderId {
  return id !== undefined && Object.hasOwn(providerNames, id)
}

/** Those that this deployment has credentials for. */
export function configuredProviders(): ProviderId[] {
  const found: ProviderId[] = []
  if (env.AUTH_GOOGLE_ID && env.AUTH_GOOGLE_SECRET) found.push('google')
  if (env.AUTH_GITHUB_ID && env.AUTH_GITHUB_SECRET) found.push('github')
  return found
}
