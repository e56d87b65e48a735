import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Refusal } from './refusal.ts'

const lockfiles = {
  npm: ['package-lock.json'],
  pnpm: ['pnpm-lock.yaml'],
  yarn: ['yarn.lock'],
  bun: ['bun.lock', 'bun.lockb'],
}
export type PackageManager = keyof typeof lockfiles
const all = Object.keys(lockfiles) as PackageManager[]

export function packageManagerNamed(name: string): PackageManager {
  const found = all.find((one) => one === name)
  if (!found) throw new Refusal(`There is no package manager "${name}" that I know. I know: ${all.join(', ')}.`)
  return found
}

/** The one whose lockfile is there, or in a folder above, up to the top of a workspace; else the one that runs this. */
export function packageManagerOf(folder: string, top: string = folder): PackageManager {
  for (let place = folder; ; place = dirname(place)) {
    const found = all.find((one) => lockfiles[one].some((file) => existsSync(join(place, file))))
    if (found) return found
    if (place === top || place === dirname(place)) break
  }
  return all.find((one) => process.env.npm_config_user_agent?.startsWith(`${one}/`)) ?? 'npm'
}

/** Where it writes what it has installed, seen from the app. */
export function lockfilesOf(manager: PackageManager, folder: string, top: string): string[] {
  const places = [folder, top].map((place) => relative(folder, place))
  return lockfiles[manager].flatMap((file) => places.map((place) => join(place, file)))
}

/** Installs what package.json says, and writes the lockfile. */
export function install(folder: string, manager: PackageManager): boolean {
  // pnpm refuses to change its lockfile where CI is set.
  const args = manager === 'pnpm' ? ['install', '--no-frozen-lockfile'] : ['install']
  const { status, stdout, stderr } = spawnSync(manager, args, {
    cwd: folder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.stderr.write(`${stdout ?? ''}${stderr ?? ''}`)
  return status === 0
}
