import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { CliError } from './cli-error.ts'
import { render } from './render.ts'
import { type Snapshot, type State, stateFile, type Tree, writeState } from './snapshot.ts'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/**
 * Generates the app as its own version did. For an older version, runs the `render` command of that version's package,
 * which is in node_modules or comes from the registry.
 */
export function renderAtAppVersion(snapshot: Snapshot, state: State, folder: string): Tree {
  if (state.version === snapshot.version) return render(snapshot, state)
  const temporaryFolder = mkdtempSync(join(tmpdir(), 'plinth-render-'))
  try {
    const program = findInstalled(folder, state.version) ?? fetchVersion(state.version, temporaryFolder)
    const [file, out] = [join(temporaryFolder, stateFile), join(temporaryFolder, 'app')]
    writeFileSync(file, writeState(state))
    const { status, stderr } = spawnSync(process.execPath, [program, 'render', '--state', file, '--out', out], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`create-plinth ${state.version} could not render the app: ${stderr}`)
    return readTree(out)
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true })
  }
}

interface Manifest {
  version: string
  bin: Record<string, string>
}

function programOf(packageFolder: string): { version: string; program: string } {
  const { version, bin } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as Manifest
  return { version, program: join(packageFolder, bin['create-plinth'] ?? '') }
}

function findInstalled(folder: string, version: string): string | null {
  const installed = join(folder, 'node_modules', 'create-plinth')
  if (!existsSync(join(installed, 'package.json'))) return null
  const found = programOf(installed)
  return found.version === version ? found.program : null
}

function fetchVersion(version: string, temporaryFolder: string): string {
  const { status, stderr } = spawnSync(npm, ['pack', `create-plinth@${version}`, '--silent'], {
    cwd: temporaryFolder,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  const archive = readdirSync(temporaryFolder).find((name) => name.endsWith('.tgz'))
  if (status !== 0 || !archive)
    throw new CliError(`Couldn’t download create-plinth ${version}, which created this app: ${stderr.trim()}`)
  execFileSync('tar', ['-xzf', archive], { cwd: temporaryFolder })
  return programOf(join(temporaryFolder, 'package')).program
}

export function readTree(folder: string): Tree {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(
    files
      .map((file): [string, Buffer] => [relative(folder, file).split(sep).join('/'), readFileSync(file)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

export function writeTree(tree: Tree, folder: string): void {
  for (const [path, bytes] of tree) {
    const parts = path.split('/')
    if (parts.includes('..') || parts[0] === '') throw new Error(`${path} would be outside of the app`)
    const file = join(folder, ...parts)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, bytes)
  }
}

/** The newest version in the registry. */
export function newestVersion(): string {
  const { status, stdout, stderr } = spawnSync(npm, ['view', 'create-plinth', 'version', '--silent'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0 || !stdout.trim())
    throw new CliError(`Couldn’t read the latest version from the registry. ${stderr.trim()}`)
  return stdout.trim()
}

/** Runs the command with another version of create-plinth. Returns its exit code. */
export function runVersion(version: string, args: string[]): number {
  const { status } = spawnSync(
    npm,
    ['exec', '--yes', `--package=create-plinth@${version}`, '--', 'create-plinth', ...args],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  )
  return status ?? 1
}
