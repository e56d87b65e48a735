import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { makeSnapshot } from '../../cli/make-snapshot.ts'
import { openApp } from '../../cli/src/app.ts'
import { add, remove, resume, upgrade } from '../../cli/src/change.ts'
import { render } from '../../cli/src/render.ts'
import type { Snapshot, State, Tree } from '../../cli/src/snapshot.ts'
import { abort, operationUnderWay } from '../../cli/src/transition.ts'
import { writeTree } from '../../cli/src/versions.ts'
import { root } from '../../scripts/root.ts'

/** Two versions of a template. */
interface Template {
  present: Snapshot
  frozen: Snapshot
}

/** An earlier version, as it was packed then. */
const frozenVersion = '0.1.0'
export const frozenArchive = join(root, 'tests', 'cli', 'frozen', `create-plinth-${frozenVersion}.tgz`)
const frozenPackage = unpack(frozenArchive)

/** The template as it is. */
export const whole: Template = {
  present: makeSnapshot(),
  frozen: JSON.parse(readFileSync(join(frozenPackage, 'dist', 'snapshot.json'), 'utf8')),
}
export const { present, frozen } = whole

/** Files that the two versions have both, and not the same. */
const textOf = (snapshot: Snapshot, path: string) => JSON.stringify(snapshot.files[path])
const isChanged = (path: string) =>
  path in present.files && path in frozen.files && textOf(present, path) !== textOf(frozen, path)

/** One file in eight of it, and what changes, for what is tried many times: git takes as long as there are files. */
export const thinned: Template = { present: thin(present), frozen: thin(frozen) }

function thin(snapshot: Snapshot): Snapshot {
  const isKept = (path: string) =>
    !path.includes('/') ||
    isChanged(path) ||
    /module\.(ts|json)$|globals\.css$|app-name/.test(path) ||
    createHash('md5').update(path).digest().readUInt8() % 8 === 0
  return { ...snapshot, files: Object.fromEntries(Object.entries(snapshot.files).filter(([path]) => isKept(path))) }
}

export const moduleNames = present.modules.map(({ name }) => name)
/** Those that the older version had as well. */
export const oldModuleNames = moduleNames.filter((name) => frozen.modules.some((module) => module.name === name))

function unpack(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-frozen-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  return join(folder, 'package')
}

const silent = { say: () => {}, result: () => {} }
const options = { isDryRun: false, isInstalled: false, manager: undefined }

/** An app in a folder of its own, in git, with the commands of create-plinth. */
export class TestApp {
  readonly top: string
  readonly folder: string

  readonly template: Template

  constructor(template: Template, version: keyof Template, modules: string[], { name = 'shop', inside = '' } = {}) {
    this.template = template
    const snapshot = template[version]
    this.top = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'plinth-app-'))
    this.folder = join(this.top, inside)
    mkdirSync(this.folder, { recursive: true })
    writeTree(render(snapshot, { name, modules }), this.folder)
    if (version === 'frozen') {
      const installed = join(this.folder, 'node_modules', 'create-plinth')
      mkdirSync(dirname(installed))
      execFileSync('cp', ['-r', frozenPackage, installed])
      writeFileSync(join(installed, 'dist', 'snapshot.json'), JSON.stringify(snapshot))
    }
    execFileSync('git', ['init', '--quiet', '--initial-branch=main'], { cwd: this.top })
    this.git('config', 'user.name', 'Ada')
    this.git('config', 'user.email', 'ada@example.com')
    this.commit('Begin')
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true })
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: 'pipe' })
  }

  commit(message: string): void {
    this.git('add', '--all')
    this.git('commit', '--quiet', '--allow-empty', '--no-verify', '-m', message)
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8')
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path))
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true })
    writeFileSync(join(this.folder, path), text)
  }

  edit(path: string, change: (text: string) => string): void {
    const before = this.read(path)
    const after = change(before)
    if (before === after) throw new Error(`Nothing was changed in ${path}`)
    this.write(path, after)
  }

  /** What is committed, without the lockfile, which is the package manager's. */
  tree(commit = 'HEAD'): Tree {
    const { repository } = openApp(this.folder)
    const paths = repository.pathsAt(commit).filter((path) => path !== 'package-lock.json')
    return new Map([...repository.readAt(commit, paths)].map(([path, bytes]) => [path, bytes ?? Buffer.alloc(0)]))
  }

  get state(): State {
    return openApp(this.folder).state
  }

  get isClean(): boolean {
    return this.git('status', '--porcelain') === ''
  }

  get conflicts(): string[] {
    return this.git('diff', '--name-only', '--diff-filter=U', '--relative').split('\n').filter(Boolean)
  }

  get isUnderWay(): boolean {
    return operationUnderWay(openApp(this.folder).repository) !== null
  }

  add(...names: string[]): void {
    add(this.template.present, openApp(this.folder), names, options, silent)
  }

  remove(names: string[], { isForced = false, isDataDropped = false } = {}): void {
    remove(this.template.present, openApp(this.folder), names, { ...options, isForced, isDataDropped }, silent)
  }

  upgrade(): void {
    upgrade(this.template.present, openApp(this.folder), options, silent)
  }

  continue(): void {
    resume(openApp(this.folder), options, silent)
  }

  abort(): void {
    abort(openApp(this.folder).repository)
  }
}

/** For each source file that an upgrade changes, the first line that it changes. */
export const firstChanges: Map<string, number> = new Map(
  Object.keys(present.files)
    .filter((path) => isChanged(path) && /^src\/.*\.tsx?$/.test(path))
    .map((path) => {
      const [before, after] = [frozen.files[path], present.files[path]].map((file) =>
        file && 'text' in file ? file.text.split('\n') : [],
      )
      return [path, before?.findIndex((line, index) => line !== after?.[index]) ?? 0]
    }),
)

/** The paths in which two trees differ. */
export function differences(one: Tree, other: Tree): string[] {
  const paths = new Set([...one.keys(), ...other.keys()])
  paths.delete('package-lock.json')
  return [...paths].filter((path) => {
    const [a, b] = [one.get(path), other.get(path)]
    return !a || !b || !a.equals(b)
  })
}

export const pristine = (snapshot: Snapshot, modules: string[], name = 'shop') => render(snapshot, { name, modules })

/** Everything in the schema that has a name, so that what a module leaves behind can be seen. */
export async function namesInSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relkind::text || ' ' || c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
    union all select 'function ' || p.oid::regprocedure from pg_proc p where p.pronamespace = 'public'::regnamespace
    union all select 'trigger ' || t.tgname || ' on ' || t.tgrelid::regclass from pg_trigger t where not t.tgisinternal
    order by 1`)
  return rows.map(({ name }) => name)
}
