import 'server-only'
import type { Provider } from './define-provider'
import { listProviders } from './provider-files'

export function findProvider(id: string | undefined): Provider | undefined {
  return listProviders().find((provider) => provider.id === id)
}

/** The providers that this deployment has credentials for. */
export const configuredProviders = () => listProviders().filter(({ isConfigured }) => isConfigured)

export const findConfiguredProvider = (id: string | undefined) => configuredProviders().find((one) => one.id === id)

/** The display name of a stored provider. One that no longer exists is shown by its id. */
export const providerName = (id: string) => findProvider(id)?.name ?? id
