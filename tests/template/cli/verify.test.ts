import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { faults } from '../gate/faults.ts'
import { installCli } from '../support/cli.ts'
import { linkNodeModules } from '../support/project-copy.ts'
import { fullTemplate, TestApp } from './test-app.ts'

/** Runs the command in the app, as "npx plinth" does. */
function plinth(app: TestApp, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(join(app.folder, 'node_modules', '.bin', 'plinth'), args, {
    cwd: app.folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { status, output: stdout + stderr }
}

function installPackages(app: TestApp): void {
  execFileSync('rm', ['-rf', 'node_modules'], { cwd: app.folder })
  linkNodeModules(app.folder)
  installCli(app.folder)
}

/** A module of the user with a hole: its files are those of a fault of the gate. */
function addHole(app: TestApp, title: string): void {
  const { files } = faults.find((fault) => fault.title === title) ?? assert.fail(title)
  for (const [path, content] of Object.entries(files)) if (typeof content === 'string') app.write(path, content)
  app.commit(title)
}

test('verify runs the tests that are not in the app, in a copy, and leaves the app as it is', () => {
  using app = new TestApp(fullTemplate, 'present', ['account'])
  installPackages(app)
  assert.ok(!app.has('src/core/action.test.ts'))
  const { status, output } = plinth(app, 'verify', 'unit', 'src/core/auth/user/create.test.ts')
  assert.equal(status, 0, output)
  assert.match(output, /passed {2}unit/)
  assert.ok(existsSync(join(app.folder, '.data/verify/src/core/action.test.ts')))
  assert.ok(app.isClean)
  assert.match(plinth(app, 'verify', 'everything').output, /Unknown suite "everything"\. Suites: contract, matrix/)
})

test('verify security names the file of a hole in a module of the user, and passes once it is fixed', () => {
  using app = new TestApp(fullTemplate, 'present', ['account', 'admin'])
  installPackages(app)
  addHole(app, 'an action that writes without checking the permission again')
  addHole(app, 'a page that shows data through a file of its module')
  const found = plinth(app, 'verify', 'security', 'H-321')
  assert.equal(found.status, 1)
  assert.match(found.output, /src\/app\/\(hole\)\/actions\.ts/)
  assert.match(found.output, /src\/app\/\(leak\)\/leak\/page\.tsx shows what src\/app\/\(leak\)\/find-users\.ts reads/)

  app.edit('src/app/(hole)/actions.ts', (text) =>
    text
      .replace(
        'await db.update(users).set({ name: input.name }).where(eq(users.id, actor.id))',
        "await transactionAs(actor, can('hole.write'), (tx) =>\n      tx.update(users).set({ name: input.name }).where(eq(users.id, actor.id)),\n    )",
      )
      .replace("import { db } from '@/core/db/client'", "import { transactionAs } from '@/core/auth/transaction-as'"),
  )
  app.edit('src/app/(leak)/leak/page.tsx', (text) =>
    text
      .replace('  return <p>', "  await requirePermission(signedIn, '/leak')\n  return <p>")
      .replace(
        /^/,
        "import { signedIn } from '@/core/auth/policy'\nimport { requirePermission } from '@/core/auth/session/actor'\n",
      ),
  )
  app.commit('Fix')
  const fixed = plinth(app, 'verify', 'security', 'H-321')
  assert.equal(fixed.status, 0, fixed.output.slice(-4000))
})
