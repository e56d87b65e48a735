import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { canConnect } from '../src/core/doctor/can-connect.ts'
import { checkModules } from '../src/core/doctor/check-modules.ts'
import { broken, type Finding, note, ok } from '../src/core/doctor/finding.ts'
import { envFile, loadEnv } from './env-file.ts'
import { isOlder, minimumVersionProblem, minimumVersions } from './minimum-versions.ts'
import { printFindings } from './print-findings.ts'
import { root } from './root.ts'

function checkProgram(name: 'git' | 'npm', minimum: string, hint: string): Finding {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
  const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0]
  if (status !== 0 || !version) return note(`${name} isn’t installed`, hint)
  return isOlder(version, minimum)
    ? note(`${name} ${version} is older than ${minimum}`, hint)
    : ok(`${name} ${version}`)
}

function checkMinimumVersions(): Finding {
  const outdated = Object.keys(minimumVersions).flatMap((name) => {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    return minimumVersionProblem(name, version, name)
  })
  return outdated.length > 0
    ? broken('A package is too old', `${outdated.join('\n')}\nRun "npm ci" or use a newer version in package.json.`)
    : ok('All packages meet their minimum versions')
}

function checkPackages(): Finding {
  const { status, stdout } = spawnSync('npm', ['ls', '--depth=0', '--json', '--silent'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status === 0) return ok('Installed packages match the lockfile')
  const problems: string[] = JSON.parse(stdout || '{}').problems ?? ['npm couldn’t list them']
  return broken(`Installed packages don’t match the lockfile: ${problems[0]}`, 'Run "npm ci".')
}

function checkEnvFile(): Finding {
  return existsSync(envFile)
    ? ok('.env exists')
    : note('.env doesn’t exist', '"npm run dev" creates it. In production, set the variables in the environment.')
}

async function checkPort(): Promise<Finding> {
  const port = Number(process.env.PORT || 3000)
  return (await canConnect('127.0.0.1', port))
    ? note(`Port ${port} is in use`, `If that isn’t this app, stop it or try: PORT=${port + 1} npm run dev`)
    : ok(`Port ${port} is free`)
}

async function checkOwnPostgres(): Promise<Finding> {
  const { describePostgres } = await import('./postgres.ts')
  try {
    const { version, dataVersion, home } = describePostgres()
    if (dataVersion && Number.parseInt(version, 10) !== Number(dataVersion)) {
      return broken(
        `The data in ${home} is from PostgreSQL ${dataVersion}, but npm installed ${version}`,
        `Export what you need with pg_dump ${dataVersion}, delete ${home} and start again.`,
      )
    }
    return ok(`PostgreSQL ${version} from npm, ${dataVersion ? `with data in ${home}` : 'set up on first start'}`)
  } catch (error) {
    return broken('Can’t use PostgreSQL from npm', error instanceof Error ? error.message : String(error))
  }
}

/** Only where drizzle-kit is installed, which is a development dependency. */
async function checkSchemas(): Promise<Finding[]> {
  if (!existsSync(join(root, 'node_modules', 'drizzle-kit'))) return []
  const { findOwnersWithoutMigration } = await import('./schema-changes.ts')
  const owners = await findOwnersWithoutMigration(root)
  if (owners.length === 0) return [ok('No schema change without a migration was found')]
  return owners.map((owner) =>
    broken(`The schema of ${owner} has changed without a migration`, `Run "npm run db:generate -- ${owner} <name>".`),
  )
}

/** None if a setting is invalid: that is reported as a problem of the settings. */
function findProviders<Provider>(listProviders: () => Provider[]): Provider[] {
  try {
    return listProviders()
  } catch {
    return []
  }
}

/** Settings, database, email and providers: the checks that /welcome shows in development, too. */
async function checkSetup(): Promise<Finding[]> {
  // Imported lazily, because they need packages.
  const { checkApp } = await import('../src/core/doctor/check-app.ts')
  const { importSource } = await import('./import-source.ts')
  const [
    { checkEnv, coreEnv, findMisspelledSettings },
    { listProviders },
    { modules },
    { findScopeProvider },
    { tenantTables },
  ] = await importSource(
    'src/core/env.ts',
    'src/core/auth/oauth/provider-files.ts',
    'src/modules.ts',
    'src/scope-provider.ts',
    'src/tenant-tables.ts',
  )
  const scopes = findScopeProvider()
  const owners = [coreEnv, ...modules.flatMap(({ env }: { env?: unknown }) => env ?? [])]
  const areas = await checkApp({
    root,
    env: process.env,
    providers: findProviders(listProviders),
    findProblems: (mode) => checkEnv(owners, { ...process.env, NODE_ENV: mode }),
    walled: scopes && { noun: scopes.noun.many, tenantTables },
  })
  const misspelled: { name: string; meant: string }[] = findMisspelledSettings(owners)
  return [
    ...areas.flatMap(({ findings }) => findings),
    ...misspelled.map(({ name, meant }) => note(`${name} isn’t a setting`, `Did you mean ${meant}?`)),
  ]
}

/** Prints all findings; returns true when the app can run. */
export async function runChecks(): Promise<boolean> {
  loadEnv()
  const findings = [
    ok(`Node ${process.versions.node}`),
    checkProgram('npm', '10.0.0', 'Install a current version.'),
    checkProgram(
      'git',
      '2.38.0',
      'The app runs without it, but "npx plinth" needs git 2.38 or newer to add, remove and upgrade.',
    ),
    checkPackages(),
    checkEnvFile(),
  ]
  if (findings.every(({ state }) => state !== 'broken')) findings.push(checkMinimumVersions(), checkModules(root))
  if (findings.every(({ state }) => state !== 'broken')) {
    findings.push(...(await checkSchemas()), ...(await checkSetup()), await checkPort())
    if (!process.env.DATABASE_URL) findings.push(await checkOwnPostgres())
  }
  return printFindings(findings)
}
