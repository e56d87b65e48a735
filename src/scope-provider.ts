import type { ScopeProvider } from '@/core/scope'
import { modules } from './modules'

/** The provider of scopes, if a module that has one is installed. */
export const findScopeProvider = (): ScopeProvider | undefined => modules.find(({ scope }) => scope)?.scope
