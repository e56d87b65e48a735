import type { ProviderFile } from './define-provider'

// A provider exists if its file exists. There is no other list of providers.
const found = import.meta.glob<{ provider: ProviderFile }>('./providers/*.ts', { eager: true })

export const providerFiles: ProviderFile[] = Object.values(found)
  .map(({ provider }) => provider)
  .sort((a, b) => a.order - b.order)

/** Every provider, configured or not, in the order of the sign-in page. */
export const listProviders = () => providerFiles.flatMap(({ list }) => list())

/** For the pages that are rendered at build time, which know no settings. */
export const formTargetsAtBuild = providerFiles.flatMap(({ formTargets }) => formTargets)
