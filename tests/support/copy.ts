import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../scripts/root.ts'

/** The project as a clean clone would have it, uncommitted changes included. */
export function copyProject(target: string): void {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0')
  for (const file of files.split('\0')) {
    if (!file || deleted.includes(file)) continue
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(root, file), join(target, file))
  }
}

/** Gives another folder this project's packages: hard links where the file system allows it, for nothing writes into them. */
export function bringPackages(folder: string): void {
  const modules = join(folder, 'node_modules')
  const linked = spawnSync('cp', ['-al', join(root, 'node_modules'), modules])
  if (linked.status === 0) return
  rmSync(modules, { recursive: true, force: true })
  cpSync(join(root, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true })
}

/** A folder with packages installed and nothing else; outside the project, so that no tool takes the two for one. */
export function makeWorkFolder(): { folder: string; remove: () => void } {
  const outer = mkdtempSync(join(tmpdir(), 'plinth-copy-'))
  chmodSync(outer, 0o755)
  const folder = join(outer, 'app')
  mkdirSync(folder)
  bringPackages(folder)
  return { folder, remove: () => rmSync(outer, { recursive: true, force: true }) }
}

/** A copy to plant faults in. */
export function makeWorkCopy(): ReturnType<typeof makeWorkFolder> {
  const copy = makeWorkFolder()
  copyProject(copy.folder)
  execFileSync('git', ['init', '--quiet'], { cwd: copy.folder })
  return copy
}

/** Runs one of the copy's scripts. */
export function runScript(folder: string, name: string): { isOk: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', name], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'node_modules', '.bin')}:${process.env.PATH}`, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { isOk: status === 0, output: stdout + stderr }
}
