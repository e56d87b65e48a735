import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../../../scripts/root.ts'

/** Copies the files that a clean clone would have, including uncommitted changes. */
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

/** Adds this project's node_modules to another folder, with hard links if possible, because nothing writes to them. */
export function linkNodeModules(folder: string): void {
  const modules = join(folder, 'node_modules')
  const linked = spawnSync('cp', ['-al', join(root, 'node_modules'), modules])
  if (linked.status === 0) return
  rmSync(modules, { recursive: true, force: true })
  cpSync(join(root, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true })
}

/** A folder with only node_modules. It is outside the project, so that no tool treats it as part of the project. */
export function makeWorkFolder(): { folder: string; remove: () => void } {
  const outer = mkdtempSync(join(tmpdir(), 'plinth-copy-'))
  chmodSync(outer, 0o755)
  const folder = join(outer, 'app')
  mkdirSync(folder)
  linkNodeModules(folder)
  return { folder, remove: () => rmSync(outer, { recursive: true, force: true }) }
}

/** A copy of the project for mutation checks. */
export function makeWorkCopy(): ReturnType<typeof makeWorkFolder> {
  const copy = makeWorkFolder()
  copyProject(copy.folder)
  execFileSync('git', ['init', '--quiet'], { cwd: copy.folder })
  return copy
}

/** Runs an npm script of the copy. */
export function runScript(folder: string, name: string): { isOk: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', name], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'node_modules', '.bin')}:${process.env.PATH}`, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { isOk: status === 0, output: stdout + stderr }
}
