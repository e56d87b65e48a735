import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { Refusal } from './refusal.ts'
import { render } from './render.ts'
import { type Snapshot, type State, stateFile, type Tree, writeState } from './snapshot.ts'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

/**
 * The app as its own version made it. An older version makes it itself: its package is beside the app, or comes from
 * the registry, and every version answers `render`.
 */
export function renderAtItsVersion(snapshot: Snapshot, state: State, folder: string): Tree {
  if (state.version === snapshot.version) return render(snapshot, state)
  const scratch = mkdtempSync(join(tmpdir(), 'plinth-render-'))
  try {
    const program = findInstalled(folder, state.version) ?? fetchVersion(state.version, scratch)
    const [file, out] = [join(scratch, stateFile), join(scratch, 'app')]
    writeFileSync(file, writeState(state))
    const { status, stderr } = spawnSync(process.execPath, [program, 'render', '--state', file, '--out', out], {
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`create-plinth ${state.version} could not render the app: ${stderr}`)
    return readTree(out)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
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

function fetchVersion(version: string, scratch: string): string {
  const { status, stderr } = spawnSync(npm, ['pack', `create-plinth@${version}`, '--silent'], {
    cwd: scratch,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  const archive = readdirSync(scratch).find((name) => name.endsWith('.tgz'))
  if (status !== 0 || !archive)
    throw new Refusal(`create-plinth ${version}, which this app was made with, could not be fetched: ${stderr.trim()}`)
  execFileSync('tar', ['-xzf', archive], { cwd: scratch })
  return programOf(join(scratch, 'package')).program
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
    if (parts.includes('..') || parts[0] === '') throw new Error(`${path} would lie outside of the app`)
    const file = join(folder, ...parts)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, bytes)
  }
}

/** The newest version that the registry has. */
export function newestVersion(): string {
  const { status, stdout, stderr } = spawnSync(npm, ['view', 'create-plinth', 'version', '--silent'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0 || !stdout.trim())
    throw new Refusal(`The registry could not be asked for the newest version. ${stderr.trim()}`)
  return stdout.trim()
}

/** Has another version do it. Returns its exit code. */
export function handOver(version: string, args: string[]): number {
  const { status } = spawnSync(
    npm,
    ['exec', '--yes', `--package=create-plinth@${version}`, '--', 'create-plinth', ...args],
    { stdio: 'inherit', shell: process.platform === 'win32' },
  )
  return status ?? 1
}
