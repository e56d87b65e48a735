import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { compare, inc } from 'semver'
import { packCli } from '../support/cli.ts'
import { type Packument, startRegistry } from '../support/registry.ts'
import {
  archiveOf,
  frozen,
  fullTemplate,
  latestTemplate,
  moduleNames,
  present,
  pristine,
  TestApp,
  upgraded,
} from './test-app.ts'

interface Entry {
  version: string
  integrity?: string
  [key: string]: unknown
}
type Locked = Record<string, Entry>

const packagesIn = (text: string) => JSON.parse(text).packages as Locked
const nameOf = (path: string) => path.replace(/^.*node_modules\//, '')
const lockfileOf = (tree: Map<string, Buffer>) => packagesIn(tree.get('package-lock.json')?.toString() ?? '')

/** The packages of the user, which only this registry has. */
const own: Locked = {
  'node_modules/own-package': { version: '1.0.0', dependencies: { 'own-deep': '^1.0.0' } },
  'node_modules/own-deep': { version: '1.0.0' },
}

/** All versions in the lockfiles of the template, and of each package a newer one that no lockfile has. */
function publishNewer(locks: Locked[]): (name: string) => Packument | null {
  const known = new Map<string, Map<string, Entry>>()
  for (const [path, entry] of locks.flatMap((lock) => Object.entries(lock)))
    if (path) known.set(nameOf(path), (known.get(nameOf(path)) ?? new Map()).set(entry.version, entry))
  return (name) => {
    const entries = [...(known.get(name)?.values() ?? [])].sort((a, b) => compare(a.version, b.version))
    const newest = entries.at(-1)
    if (!newest) return null
    const newer = { ...newest, version: inc(newest.version, 'patch') ?? '' }
    const manifests = [...entries, newer].map(({ integrity = 'sha512-AAAA', ...entry }) => [
      entry.version,
      { name, ...entry, dist: { integrity, tarball: `http://127.0.0.1:1/${name}-${entry.version}.tgz` } },
    ])
    return { 'dist-tags': { latest: newer.version }, versions: Object.fromEntries(manifests) }
  }
}

describe('with newer versions of every package in the registry', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'plinth-lockfile-'))
  const { archive, folder: packed } = packCli(join(scratch, 'packed'))
  const asked: string[] = []
  let registry: Awaited<ReturnType<typeof startRegistry>>
  before(async () => {
    const publish = publishNewer([
      lockfileOf(pristine(present, moduleNames)),
      ...[latestTemplate().frozen, frozen].map((version) => packagesIn(textIn(version, 'package-lock.json'))),
      own,
    ])
    registry = await startRegistry([archiveOf('0.2.0'), archive], (name) => {
      asked.push(name)
      return publish(name)
    })
  })
  after(async () => {
    await registry.stop()
    rmSync(scratch, { recursive: true, force: true })
  })

  /** Runs a command with a npm that writes the lockfile but downloads nothing. The registry runs in this process. */
  function run(app: TestApp, program: string, ...args: string[]): Promise<string> {
    const child = spawn(program, args, {
      cwd: app.folder,
      env: {
        ...process.env,
        npm_config_registry: registry.url,
        npm_config_cache: join(scratch, 'npm-cache'),
        npm_config_package_lock_only: 'true',
        npm_config_audit: 'false',
        // The packages of 0.2.0 are not listed by name in its package.json.
        npm_config_strict_allow_scripts: 'false',
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    return new Promise((resolve, reject) =>
      child.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(output.slice(-4_000))))),
    )
  }
  const plinth = (app: TestApp, ...args: string[]) =>
    run(app, process.execPath, join(packed, 'dist', 'bin.mjs'), ...args)
  const npm = (app: TestApp, ...args: string[]) => run(app, 'npm', ...args)
  const versionsIn = (app: TestApp) =>
    Object.fromEntries(
      Object.entries(packagesIn(app.read('package-lock.json'))).map(([path, { version }]) => [path, version]),
    )

  test('after removing and adding a module, package.json and the lockfile are the same to the byte', async () => {
    using app = new TestApp(fullTemplate, 'present', moduleNames)
    await npm(app, 'install')
    app.commit('Installed')
    const files = ['package.json', 'package-lock.json'].map((path) => app.read(path))
    for (const name of ['account', 'content']) {
      asked.length = 0
      const removed = await plinth(app, 'remove', name, ...dependents(name))
      const packages = Object.keys(packagesIn(app.read('package-lock.json')))
      assert.ok(packages.length < Object.keys(packagesIn(files[1] ?? '')).length, `${name} has packages of its own`)
      const added = await plinth(app, 'add', name, ...dependents(name))
      assert.deepEqual(
        ['package.json', 'package-lock.json'].map((path) => app.read(path)),
        files,
      )
      assert.deepEqual(asked, [])
      assert.doesNotMatch(removed + added, /npm resolved|resolves/)
      assert.ok(app.isClean)
    }
    await npm(app, 'ci', '--dry-run')

    // The newer versions are really there: without the entries of a package, npm takes one of them.
    const [path = ''] =
      Object.entries(packagesIn(files[1] ?? '')).find(([one, { version, dependencies }]) =>
        Boolean(
          one && !dependencies && /^[1-9]/.test(version) && !(nameOf(one) in JSON.parse(files[0] ?? '').dependencies),
        ),
      ) ?? []
    app.edit('package-lock.json', (text) => {
      const { [path]: _, ...rest } = packagesIn(text)
      return JSON.stringify({ ...JSON.parse(text), packages: rest }, null, 2)
    })
    await npm(app, 'install')
    assert.deepEqual(asked, [nameOf(path)])
  })

  test('after an upgrade, packages are those of the new lockfile, and what the user added or raised stays', async () => {
    const template = latestTemplate()
    const modules = template.frozen.modules.map(({ name }) => name)
    using app = new TestApp(template, 'frozen', modules)
    await npm(app, 'install', '--save-exact', 'own-package@1.0.0')
    // A package that the user has raised, as "npm audit fix" does.
    const next = lockfileOf(upgraded(modules))
    const was = lockfileOf(pristine(template.frozen, modules))
    const raised = Object.keys(next).find((path) => was[path] && isRaisable(next, nameOf(path))) ?? ''
    app.edit('package-lock.json', (text) => {
      const packages = packagesIn(text)
      const entry = {
        ...next[raised],
        version: inc(next[raised]?.version ?? '', 'patch') ?? '',
        integrity: 'sha512-AAAA',
      }
      return `${JSON.stringify({ ...JSON.parse(text), packages: { ...packages, [raised]: entry } }, null, 2)}\n`
    })
    app.commit('Own and raised')
    const before = versionsIn(app)

    asked.length = 0
    const output = await plinth(app, 'upgrade', '--to', present.version)
    assert.deepEqual(asked, [])
    assert.doesNotMatch(output, /npm resolved|resolves/)
    assert.ok(app.isClean)
    const expected = Object.fromEntries(Object.entries(next).map(([path, entry]) => [path, entry.version]))
    assert.deepEqual(versionsIn(app), {
      ...expected,
      'node_modules/create-plinth': present.version,
      [raised]: before[raised],
      'node_modules/own-deep': before['node_modules/own-deep'],
      'node_modules/own-package': '1.0.0',
    })
    await npm(app, 'ci', '--dry-run')
  })

  test('npm finds nothing to change in the lockfile of a new app, whatever its modules', async () => {
    for (const modules of [[], ...moduleNames.map((name) => [name, ...required(name)])]) {
      using app = new TestApp(fullTemplate, 'present', modules)
      const before = packagesIn(app.read('package-lock.json'))
      await npm(app, 'install')
      // npm adds create-plinth, whose checksum is not known before it is packed.
      const { 'node_modules/create-plinth': createPlinth, ...after } = packagesIn(app.read('package-lock.json'))
      assert.equal(createPlinth?.version, present.version)
      assert.ok(createPlinth.integrity)
      assert.deepEqual(after, before, modules.join(', '))
    }
  })
})

const textIn = ({ files }: typeof present, path: string) => {
  const file = files[path]
  return file && 'text' in file ? file.text : ''
}
const required = (name: string): string[] =>
  present.modules.find((module) => module.name === name)?.requires.flatMap((one) => [one, ...required(one)]) ?? []
const dependents = (name: string) =>
  present.modules.filter((module) => required(module.name).includes(name)).map((module) => module.name)
/** Whether all packages that require this one accept a newer version, and the app does not require it itself. */
const isRaisable = ({ '': root, ...packages }: Locked, name: string) => {
  const ranges = Object.values(packages).flatMap(({ dependencies, peerDependencies }) =>
    [dependencies, peerDependencies].flatMap((group) => (group as Record<string, string> | undefined)?.[name] ?? []),
  )
  return (
    !JSON.stringify(root).includes(`"${name}":`) && ranges.length > 0 && ranges.every((range) => /^\^[1-9]/.test(range))
  )
}
