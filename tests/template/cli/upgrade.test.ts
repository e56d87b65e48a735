import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import pg from 'pg'
import { root } from '../../../scripts/root.ts'
import { findMigrationFolders, migrate, readMigrations } from '../../../src/core/db/migrate.ts'
import { createDatabase, dropDatabase, findServer } from '../../app/support/database.ts'
import { installCli } from '../support/cli.ts'
import { linkNodeModules, runScript } from '../support/project-copy.ts'
import { generateMigrations, writeField } from '../support/recipes.ts'
import { differences, fullTemplate, latestTemplate, oldModuleNames, present, TestApp, upgraded } from './test-app.ts'

/** Edits that a user makes to their app over time. */
function makeEdits(app: TestApp): void {
  // A core component, on a line that the template has changed since.
  app.edit('src/core/ui/site-header.tsx', (text) => text.replace(/^ +Plinth$/m, '          Shop & Sons'))
  // A core component, on a line that the template has not changed.
  app.edit('src/core/ui/logo.tsx', (text) => `${text}\n// Ours is a drawing by Grace.\n`)
  // A page of a module.
  app.edit('src/app/(admin)/admin/page.tsx', (text) =>
    text.replace(/^ +redirect\(/m, '  // Shop & Sons, since 2026\n$&'),
  )
  // A new column, with its migration.
  app.edit('src/core/db/schema.ts', (text) =>
    text.replace(/(export const users = pgTable\(\s*'users',\s*\{\n)/, `$1    phone: text('phone'),\n`),
  )
  app.write('src/core/db/_migrations/0100_phone.sql', 'ALTER TABLE "users" ADD COLUMN "phone" text;\n')
  // An own module, with an own npm package.
  const module = {
    name: 'shop',
    title: 'Shop',
    description: 'What we sell.',
    requires: [],
    npm: ['picocolors'],
    env: [],
    tables: [],
  }
  app.write('src/app/(shop)/module.json', `${JSON.stringify(module, null, 2)}\n`)
  app.write(
    'src/app/(shop)/module.ts',
    `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'shop', title: 'Shop' })\n`,
  )
  app.write('src/app/(shop)/README.md', '# Shop\n')
  app.write(
    'src/app/(shop)/shop/page.tsx',
    `import colors from 'picocolors'\n\nexport default function ShopPage() {\n  return <main>{colors.isColorSupported ? 'Colorful' : 'Plain'}</main>\n}\n`,
  )
  app.edit('package.json', (text) => {
    const manifest = JSON.parse(text)
    manifest.dependencies = Object.fromEntries(Object.entries({ ...manifest.dependencies, picocolors: '1.1.1' }).sort())
    manifest.scripts.report = 'echo sold'
    return `${JSON.stringify(manifest, null, 2)}\n`
  })
  app.edit('.env.example', (text) => `${text}\n# --- shop ---\n\n# Where we sell.\nSHOP_COUNTRY=\n`)
  app.edit('src/app/globals.css', (text) => text.replace(/--radius-md[^;]*;/, '--radius-md: 0.9rem;'))
  app.git('rm', '--quiet', 'docs/deploy.md')
  app.git('mv', 'compose.yaml', 'compose.development.yaml')
}

/** Asserts that every edit is still there. */
function expectEdits(app: TestApp): void {
  assert.match(app.read('src/core/ui/site-header.tsx'), /Shop & Sons/)
  assert.match(app.read('src/core/ui/logo.tsx'), /a drawing by Grace/)
  assert.match(app.read('src/app/(admin)/admin/page.tsx'), /Shop & Sons, since 2026/)
  assert.match(app.read('src/core/db/schema.ts'), /phone: text\('phone'\)/)
  assert.ok(app.has('src/core/db/_migrations/0100_phone.sql'))
  assert.ok(app.has('src/app/(shop)/shop/page.tsx'))
  assert.match(app.read('package.json'), /"report": "echo sold"/)
  assert.match(app.read('package.json'), /"picocolors": "1.1.1"/)
  assert.match(app.read('.env.example'), /SHOP_COUNTRY/)
  assert.match(app.read('src/app/globals.css'), /--radius-md: 0\.9rem/)
  assert.ok(!app.has('docs/deploy.md'))
  assert.ok(!app.has('compose.yaml') && app.has('compose.development.yaml'))
}

test('an app with many edits upgrades to the current version with all edits and data', async () => {
  using app = new TestApp(fullTemplate, 'frozen', oldModuleNames)
  makeEdits(app)
  app.commit('A year of work')
  const server = await findServer()
  const database = await createDatabase(server.url)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    const applyAll = () => migrate(database.url, readMigrations(findMigrationFolders(app.folder)))
    await applyAll()
    await client.query(`insert into users (email, name, phone) values ('ada@example.com', 'Ada', '123')`)

    const before = app.tree()
    const head = app.git('rev-parse', 'HEAD')
    app.upgrade()
    assert.deepEqual(app.conflicts, ['src/core/ui/site-header.tsx'])
    assert.match(
      app.read('src/core/ui/site-header.tsx'),
      /<<<<<<< HEAD[\s\S]*Shop & Sons[\s\S]*=======[\s\S]*\{appName\}[\s\S]*>>>>>>>/,
    )
    expectEdits(app)
    assert.throws(() => app.continue(), /unresolved conflicts in:\n {2}src\/core\/ui\/site-header\.tsx/)
    assert.throws(() => app.add('admin'), /isn’t finished/)

    app.abort()
    assert.deepEqual(differences(app.tree(), before), [])
    assert.equal(app.git('rev-parse', 'HEAD'), head)
    assert.ok(app.isClean)

    app.upgrade()
    app.edit('src/core/ui/site-header.tsx', (text) =>
      text
        .replace(/<<<<<<< HEAD\n([\s\S]*?)=======\n[\s\S]*?>>>>>>> .*\n/, '$1')
        .replace(/^import \{ appName \}.*\n/m, ''),
    )
    app.continue()
    assert.ok(app.isClean)
    expectEdits(app)
    assert.equal(app.state.version, present.version)
    assert.equal(app.git('log', '-1', '--format=%s').trim(), `Upgrade Plinth from 0.1.0 to ${present.version}`)
    assert.equal(app.git('rev-parse', 'HEAD~1'), head)

    await applyAll()
    assert.deepEqual((await client.query('select name, phone from users')).rows, [{ name: 'Ada', phone: '123' }])

    // Remove the frozen create-plinth package, which would block the hard links.
    execFileSync('rm', ['-rf', 'node_modules'], { cwd: app.folder })
    linkNodeModules(app.folder)
    installCli(app.folder)
    for (const script of ['typecheck', 'test', 'build']) {
      const { isOk, output } = runScript(app.folder, script)
      assert.ok(isOk, `npm run ${script}:\n${output.slice(-4000)}`)
    }
  } finally {
    await client.end()
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
})

test('an app with a field of users, made by the recipe, upgrades without a conflict', () => {
  using app = new TestApp(fullTemplate, 'frozen', oldModuleNames)
  const recipe = writeField(app.folder, root)
  app.commit('A field')
  const isField = (path: string) => path.startsWith('src/app/(company)/')
  const before = new Map([...app.tree()].filter(([path]) => isField(path)))
  assert.equal(before.size, recipe.files.length + 1)

  app.upgrade()
  assert.deepEqual(app.conflicts, [])
  assert.ok(app.isClean && !app.isInProgress)
  assert.equal(app.state.version, present.version)
  // The folder is as it was, and everything else as in a new app.
  const pristineTree = upgraded(oldModuleNames)
  assert.deepEqual(differences(app.tree(), new Map([...pristineTree, ...before])), [])

  execFileSync('rm', ['-rf', 'node_modules'], { cwd: app.folder })
  linkNodeModules(app.folder)
  installCli(app.folder)
  generateMigrations(app.folder, recipe)
  const { isOk, output } = runScript(app.folder, 'typecheck')
  assert.ok(isOk, output.slice(-4000))
})

test('an app of the version before this one upgrades without a conflict, with every selection of modules that it offers', () => {
  const template = latestTemplate()
  const offered = template.frozen.modules.map(({ name }) => name)
  for (const modules of [offered, []]) {
    using app = new TestApp(template, 'frozen', modules)
    const printed = app.upgrade()
    assert.deepEqual(app.conflicts, [])
    assert.deepEqual(differences(app.tree(), upgraded(modules)), [])
    assert.match(printed, /Breaking in 0\.3\.0:/)
    assert.doesNotMatch(printed, /Breaking in 0\.2\.0:|Left for you to do/)
  }
})
