import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type pg from 'pg'
import { makeSnapshot } from '../../../cli/make-snapshot.ts'
import { openApp } from '../../../cli/src/app.ts'
import { add, remove, resume, upgrade } from '../../../cli/src/change.ts'
import { currentOperation } from '../../../cli/src/operation.ts'
import { render } from '../../../cli/src/render.ts'
import type { Snapshot, State, Tree } from '../../../cli/src/snapshot.ts'
import { abort } from '../../../cli/src/transition.ts'
import { writeTree } from '../../../cli/src/versions.ts'

/** Two versions of a template. */
interface Template {
  present: Snapshot
  frozen: Snapshot
  /** The folder of the package of the earlier version. */
  frozenPackage: string
}

/** An earlier version, as it was published. */
export const archiveOf = (version: string) => join(import.meta.dirname, 'frozen', `create-plinth-${version}.tgz`)
export const frozenArchive = archiveOf('0.1.0')

function templateSince(archive: string, snapshot: Snapshot): Template {
  const frozenPackage = unpack(archive)
  const frozen = JSON.parse(readFileSync(join(frozenPackage, 'dist', 'snapshot.json'), 'utf8'))
  return { present: snapshot, frozen, frozenPackage }
}

/** Both versions with all their files: the first one that was published, and the present one. */
export const fullTemplate: Template = templateSince(frozenArchive, makeSnapshot())
export const { present, frozen } = fullTemplate

/** The version before the present one, and the present one. */
export const latestTemplate = (): Template => templateSince(archiveOf('0.2.0'), present)

/** Whether both versions have the file, with different content. */
const textOf = (snapshot: Snapshot, path: string) => JSON.stringify(snapshot.files[path])
const isChanged = (path: string) =>
  path in present.files && path in frozen.files && textOf(present, path) !== textOf(frozen, path)

/** About one file in eight, and all changed ones, for tests with many runs: the time of git grows with the number of files. */
export const reducedTemplate: Template = {
  ...fullTemplate,
  present: reduceSnapshot(present),
  frozen: reduceSnapshot(frozen),
}

function reduceSnapshot(snapshot: Snapshot): Snapshot {
  const isIncluded = (path: string) =>
    !path.includes('/') ||
    isChanged(path) ||
    /module\.(ts|json)$|globals\.css$|app-name|brand/.test(path) ||
    createHash('md5').update(path).digest().readUInt8() % 8 === 0
  return { ...snapshot, files: Object.fromEntries(Object.entries(snapshot.files).filter(([path]) => isIncluded(path))) }
}

export const moduleNames = present.modules.map(({ name }) => name)
/** Modules that the older version has as well. */
export const oldModuleNames = moduleNames.filter((name) => frozen.modules.some((module) => module.name === name))

function unpack(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-frozen-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', archive, '-C', folder])
  return join(folder, 'package')
}

const silent = { print: () => {}, result: () => {} }
const options = { isDryRun: false, isInstalled: false, manager: undefined }

/** An app in a temporary git repository, with the commands of create-plinth. */
export class TestApp {
  readonly top: string
  readonly folder: string

  readonly template: Template

  constructor(
    template: Template,
    version: 'present' | 'frozen',
    modules: string[],
    { name = 'shop', inside = '' } = {},
  ) {
    this.template = template
    const snapshot = template[version]
    // .ci/run deletes folders whose process is gone.
    this.top = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), `plinth-app-${process.pid}-`))
    this.folder = join(this.top, inside)
    mkdirSync(this.folder, { recursive: true })
    writeTree(render(snapshot, { name, modules }), this.folder)
    if (version === 'frozen') {
      const installed = join(this.folder, 'node_modules', 'create-plinth')
      mkdirSync(dirname(installed))
      execFileSync('cp', ['-r', template.frozenPackage, installed])
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
    if (before === after) throw new Error(`The edit did not change ${path}`)
    this.write(path, after)
  }

  /** The committed files. */
  tree(commit = 'HEAD'): Tree {
    const { repository } = openApp(this.folder)
    return new Map(
      [...repository.readAt(commit, repository.pathsAt(commit))].map(([path, bytes]) => [
        path,
        bytes ?? Buffer.alloc(0),
      ]),
    )
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

  get isInProgress(): boolean {
    return currentOperation(openApp(this.folder).repository) !== null
  }

  add(...names: string[]): void {
    add(this.template.present, openApp(this.folder), names, options, silent)
  }

  remove(names: string[], { isForced = false, isDataDropped = false } = {}): void {
    remove(this.template.present, openApp(this.folder), names, { ...options, isForced, isDataDropped }, silent)
  }

  /** Returns what the command prints. */
  upgrade(): string {
    return printed((output) => upgrade(this.template.present, openApp(this.folder), options, output))
  }

  /** Returns what the command prints. */
  continue(): string {
    return printed((output) => resume(this.template.present, openApp(this.folder), options, output))
  }

  abort(): void {
    abort(openApp(this.folder).repository)
  }
}

function printed(run: (output: typeof silent) => void): string {
  const lines: string[] = []
  run({ print: (...more: string[]) => void lines.push(...more), result: () => {} })
  return lines.join('\n')
}

/** The first changed line of each source file that differs between the versions. */
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

/** Paths of the files that differ between two trees. */
export function differences(one: Tree, other: Tree): string[] {
  const paths = new Set([...one.keys(), ...other.keys()])
  return [...paths].filter((path) => {
    const [a, b] = [one.get(path), other.get(path)]
    return !a || !b || !a.equals(b)
  })
}

export const pristine = (snapshot: Snapshot, modules: string[], name = 'shop') => render(snapshot, { name, modules })

/** The app as an upgrade from before src/brand.ts leaves it. */
export const upgraded = (modules: string[], snapshot = present) =>
  render(snapshot, { name: 'shop', modules, slug: 'plinth' })

/** Names of all relations, functions and triggers, to find what a removed module leaves behind. */
export async function namesInSchema(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relkind::text || ' ' || c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace
    union all select 'function ' || p.oid::regprocedure from pg_proc p where p.pronamespace = 'public'::regnamespace
    union all select 'trigger ' || t.tgname || ' on ' || t.tgrelid::regclass from pg_trigger t where not t.tgisinternal
    order by 1`)
  return rows.map(({ name }) => name)
}
