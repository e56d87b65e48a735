import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type App, assertSameVersion } from './app.ts'
import { CliError } from './cli-error.ts'
import { bold, type Output } from './output.ts'
import type { Snapshot, Tree, Verification } from './snapshot.ts'
import { writeTree } from './versions.ts'

interface Suite {
  /** What it proves, for the help and the summary. */
  about: string
  /** Whether it tests the production build. */
  needsBuild: boolean
  /** Commands, one after the other; arguments of the user are added to the last one. */
  commands: string[][]
}

const suites: Record<string, Suite> = {
  contract: {
    about: 'the HTTP API is as docs/api.md says',
    needsBuild: true,
    commands: [['node', 'tests/app/contract/run.ts']],
  },
  matrix: {
    about: 'every action, handler and guarded page lets in exactly the roles with its permission',
    needsBuild: true,
    commands: [['node', 'tests/app/matrix/matrix.ts']],
  },
  security: {
    about: 'the build withstands attacks; every action, handler and page of your modules is attacked as well',
    needsBuild: true,
    // The rules first, and all of them: they name the file of an action or a page that lacks a check.
    commands: [
      ['vitest', 'run', '--bail=0', 'src/modules.test.ts', 'src/pages.test.ts'],
      ['node', 'tests/template/security/run.ts'],
    ],
  },
  faults: {
    about: 'the app survives servers that stop, hang or fill up; needs Redis, HAProxy, PgBouncer, Patroni, etcd',
    needsBuild: true,
    commands: [['node', 'tests/template/faults/run.ts']],
  },
  asvs: {
    about: 'prints the requirements of OWASP ASVS 5.0.0 with the tests of this app that prove them',
    needsBuild: false,
    commands: [['node', 'tests/template/support/print-asvs.ts']],
  },
  unit: {
    about: 'the unit tests of the template, beside yours',
    needsBuild: false,
    commands: [['vitest', 'run']],
  },
  e2e: {
    about: 'the end-to-end tests of the template, beside yours',
    needsBuild: true,
    commands: [['playwright', 'test']],
  },
}

/** The suites that run if none is named: they need nothing that an app does not have. */
const defaultSuites = ['contract', 'matrix', 'security']

/** The help of the command. */
export const describeSuites = () =>
  Object.entries(suites).map(
    ([name, { about }]) => `  ${name.padEnd(10)} ${about}${defaultSuites.includes(name) ? '' : ' *'}`,
  )

/**
 * The command `verify`: runs the suites of the template against the app as it is now, with its own modules and edits. They run in
 * a copy of the app, so that they can add their files and their build without touching it.
 */
export function verify(
  snapshot: Snapshot,
  verification: Verification,
  app: App,
  names: string[],
  output: Output,
): 0 | 1 {
  assertSameVersion(snapshot, app)
  const [chosen, args] = chooseSuites(names)
  if (!existsSync(join(app.folder, 'node_modules', 'next')))
    throw new CliError('Packages aren’t installed. Run "npm install" first.')
  const copy = join(app.folder, '.data', 'verify')
  output.print(`Copying the app to .data/verify, with the tests of Plinth ${snapshot.version}…`)
  makeCopy(app, verification, copy)
  const run = (command: string[]) => runInCopy(copy, command)
  if (chosen.some((name) => suites[name]?.needsBuild)) {
    output.print('Building the copy…')
    if (!run(['npm', 'run', 'build'])) throw new CliError('The build of the copy failed: see above.')
  }
  const results = chosen.map((name) => {
    output.print('', bold(`${name}: ${suites[name]?.about}`))
    const commands = suites[name]?.commands ?? []
    const isPassed = commands.every((command, index) =>
      run(index === commands.length - 1 ? [...command, ...args] : command),
    )
    return { name, isPassed }
  })
  output.print('', ...results.map(({ name, isPassed }) => `${isPassed ? 'passed' : 'FAILED'}  ${name}`))
  output.print('Paths in the output are relative to the app.')
  output.result({ results })
  return results.every(({ isPassed }) => isPassed) ? 0 : 1
}

/** Splits the arguments into names of suites, and arguments for the last suite: numbers of checks, files. */
function chooseSuites(names: string[]): [string[], string[]] {
  const firstOther = names.findIndex((name) => !(name in suites))
  const chosen = firstOther < 0 ? names : names.slice(0, firstOther)
  const args = firstOther < 0 ? [] : names.slice(firstOther)
  if (args.length > 0 && chosen.length !== 1)
    throw new CliError(`Unknown suite "${args[0]}". Suites: ${Object.keys(suites).join(', ')}.`)
  return [chosen.length > 0 ? chosen : defaultSuites, args]
}

/** Writes the files of the app and of the verification, and packages as hard links. */
function makeCopy({ folder, repository, state }: App, { files }: Verification, copy: string): void {
  rmSync(copy, { recursive: true, force: true })
  for (const path of repository.lines('ls-files', '-z', '--cached', '--others', '--exclude-standard')) {
    if (!existsSync(join(folder, path))) continue
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    copyFileSync(join(folder, path), join(copy, path))
  }
  writeTree(treeFor(files, state.modules), copy)
  linkFolder(join(folder, 'node_modules'), join(copy, 'node_modules'))
  // Some checks list the tracked files, and tools must not take the copy for a part of the app that git ignores.
  spawnSync('git', ['init', '--quiet'], { cwd: copy })
  spawnSync('git', ['add', '--all'], { cwd: copy })
}

/** The files without the tests of modules that the app does not have. */
export function treeFor(files: Verification['files'], modules: string[]): Tree {
  const tree: Tree = new Map()
  for (const [path, file] of Object.entries(files)) {
    const module = /^src\/app\/\(([^)]+)\)\//.exec(path)?.[1]
    if (module && !modules.includes(module)) continue
    tree.set(path, 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64'))
  }
  return tree
}

/** Next rejects a linked node_modules, so each file is linked; it is copied where that is not possible. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFolder(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else
      try {
        linkSync(source, target)
      } catch {
        copyFileSync(source, target)
      }
  }
}

function runInCopy(copy: string, [command = '', ...args]: string[]): boolean {
  const { status } = spawnSync(command, args, {
    cwd: copy,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    // The packages of the app include the Node that it needs.
    env: { ...process.env, PATH: `${join(copy, 'node_modules', '.bin')}${delimiter}${process.env.PATH}` },
  })
  return status === 0
}
