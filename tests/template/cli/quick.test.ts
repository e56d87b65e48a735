// What .ci/run asks of the CLI for every change, in half a minute. The other files have the awkward cases.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { packCli } from '../support/cli.ts'
import {
  differences,
  firstChanges,
  fullTemplate,
  latestTemplate,
  moduleNames,
  present,
  pristine,
  TestApp,
  upgraded,
} from './test-app.ts'

test('the packed CLI creates an app that is committed, with exactly the files of its modules', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'plinth-quick-'))
  try {
    const { folder: packed } = packCli(join(scratch, 'packed'))
    const program = join(packed, 'dist', 'bin.mjs')
    execFileSync(process.execPath, [program, 'shop', '--no-install', '--modules', 'account,content'], { cwd: scratch })
    const git = (...args: string[]) => execFileSync('git', args, { cwd: join(scratch, 'shop'), encoding: 'utf8' })
    assert.equal(git('status', '--porcelain'), '')
    const expected = [...pristine(present, ['account', 'content']).keys()]
    assert.deepEqual(git('ls-files', '-z').split('\0').filter(Boolean).toSorted(), expected.toSorted())
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
})

test('removing and adding a module equals creating the app without and with it, byte for byte', () => {
  using app = new TestApp(fullTemplate, 'present', moduleNames)
  app.remove(['content'])
  assert.deepEqual(
    differences(
      app.tree(),
      pristine(
        present,
        moduleNames.filter((name) => name !== 'content'),
      ),
    ),
    [],
  )
  app.add('content')
  assert.deepEqual(differences(app.tree(), pristine(present, moduleNames)), [])
  assert.ok(app.isClean)
})

test('upgrading an app of the version before this one equals creating it with this version', () => {
  const template = latestTemplate()
  const modules = template.frozen.modules.map(({ name }) => name)
  using app = new TestApp(template, 'frozen', modules)
  app.upgrade()
  assert.deepEqual(app.conflicts, [])
  assert.deepEqual(differences(app.tree(), upgraded(modules)), [])
})

test('an upgrade stops at a conflict; "abort" restores the app, "continue" completes it and says what is left to do', () => {
  using app = new TestApp(fullTemplate, 'frozen', ['account'])
  const [path = '', line = 0] = [...firstChanges].find(([name]) => name.startsWith('src/core/')) ?? []
  app.edit(path, (text) => text.split('\n').with(line, '// mine').join('\n'))
  app.commit('Mine')
  const before = app.tree()
  app.upgrade()
  assert.deepEqual(app.conflicts, [path])
  app.abort()
  assert.deepEqual(differences(app.tree(), before), [])
  assert.ok(app.isClean && !app.isInProgress)

  const steps = /Next, run "npm run format", "npm run check" and "npm run db:migrate"/
  assert.doesNotMatch(app.upgrade(), steps)
  app.write(path, '// mine')
  assert.match(app.continue(), steps)
  assert.ok(app.isClean && !app.isInProgress)
})
