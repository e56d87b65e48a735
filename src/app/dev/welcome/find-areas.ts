import { listProviders } from '@/core/auth/oauth/provider-files'
import { type CheckedArea, checkApp } from '@/core/doctor/check-app'
import { checkModules } from '@/core/doctor/check-modules'
import { checkEnv, coreEnv } from '@/core/env'
import { modules } from '@/modules'
import { findScopeProvider } from '@/scope-provider'
import { tenantTables } from '@/tenant-tables'

/** The checks of "npm run doctor" that make sense in a running app, with their current state. */
export async function findAreas(): Promise<CheckedArea[]> {
  const root = process.cwd()
  const owners = [coreEnv, ...modules.flatMap(({ env }) => env ?? [])]
  const scopes = findScopeProvider()
  const areas = await checkApp({
    root,
    env: process.env,
    providers: listProviders(),
    findProblems: (mode) => checkEnv(owners, { ...process.env, NODE_ENV: mode }),
    walled: scopes && { noun: scopes.noun.many, tenantTables },
  })
  return [...areas, { title: 'Modules', findings: [checkModules(root)] }]
}
