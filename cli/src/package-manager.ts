import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { CliError } from './cli-error.ts'

const lockfiles = {
  npm: ['package-lock.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
}
export type PackageManager = keyof typeof lockfiles
const packageManagers = Object.keys(lockfiles) as PackageManager[]

export function parsePackageManager(name: string): PackageManager {
  const found = packageManagers.find((one) => one === name)
  if (!found) throw new CliError(`Unknown package manager "${name}". Supported: ${packageManagers.join(', ')}.`)
  return found
}

/** Detected from the lockfile in the folder or a parent folder, up to `top`; otherwise the one that runs this process. */
export function detectPackageManager(folder: string, top: string = folder): PackageManager {
  for (let place = folder; ; place = dirname(place)) {
    const found = packageManagers.find((one) => lockfiles[one].some((file) => existsSync(join(place, file))))
    if (found) return found
    if (place === top || place === dirname(place)) break
  }
  return packageManagers.find((one) => process.env.npm_config_user_agent?.startsWith(`${one}/`)) ?? 'npm'
}

/** The possible lockfiles of the package manager, relative to the app. */
export function lockfilesOf(manager: PackageManager, folder: string, top: string): string[] {
  const places = [folder, top].map((place) => relative(folder, place))
  return lockfiles[manager].flatMap((file) => places.map((place) => join(place, file)))
}

/**
 * Installs the dependencies, and updates the lockfile. Returns the packages that npm resolved because the lockfile lacked
 * them, without create-plinth; null if the installation failed.
 */
export function install(folder: string, manager: PackageManager): string[] | null {
  const before = lockedVersions(folder)
  const { status, stdout, stderr } = spawnSync(manager, installArguments(manager), {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    process.stderr.write(explainFailure(`${stdout ?? ''}${stderr ?? ''}`))
    return null
  }
  return [...lockedVersions(folder)].flatMap(([path, version]) =>
    before.get(path) === version || path === 'node_modules/create-plinth'
      ? []
      : [`${path.replace(/^.*node_modules\//, '')} ${version}`],
  )
}

/** Whether the app has npm's lockfile, which is merged with that of the template. */
export const hasNpmLockfile = (folder: string) => existsSync(join(folder, 'package-lock.json'))

/** The versions in npm's lockfile, by path. */
function lockedVersions(folder: string): Map<string, string> {
  if (!hasNpmLockfile(folder)) return new Map()
  const file = join(folder, 'package-lock.json')
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages?: Record<string, { version?: string }>
  }
  return new Map(Object.entries(packages).flatMap(([path, { version }]) => (path && version ? [[path, version]] : [])))
}

/** Where CI is set, pnpm would not update its lockfile. */
const installArguments = (manager: PackageManager) =>
  manager === 'pnpm' ? ['install', '--no-frozen-lockfile'] : ['install']

/** The output of the package manager, or a short message if it could not reach the registry. */
export const explainFailure = (output: string) =>
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENETUNREACH)\b/.test(output)
    ? 'Can’t reach the npm registry. Check the connection to the internet, or the registry in .npmrc.\n'
    : output

/** Like `install`, for a new app. Reports progress, because it takes a minute. */
export function installWithProgress(
  folder: string,
  manager: PackageManager,
  onProgress: (installed: number, total: number) => void,
): Promise<boolean> {
  const lockfile = join(folder, 'package-lock.json')
  const total = existsSync(lockfile)
    ? Object.keys(JSON.parse(readFileSync(lockfile, 'utf8')).packages ?? {}).filter((path) => isTopLevel(path)).length
    : 0
  const child = spawn(manager, installArguments(manager), { cwd: folder, shell: process.platform === 'win32' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const timer = setInterval(() => onProgress(countPackages(join(folder, 'node_modules')), total), 1_000)
  return new Promise((resolve) => {
    const end = (isInstalled: boolean) => {
      clearInterval(timer)
      if (!isInstalled) process.stderr.write(explainFailure(output))
      resolve(isInstalled)
    }
    child.once('error', () => end(false))
    child.once('close', (code) => end(code === 0))
  })
}

const isTopLevel = (path: string) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)

/** Packages in a node_modules folder, not those below other packages. */
function countPackages(folder: string): number {
  if (!existsSync(folder)) return 0
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'))
  return names.reduce((sum, name) => sum + (name.startsWith('@') ? readdirSync(join(folder, name)).length : 1), 0)
}
