// npm run test:recipes: follows the larger recipes of docs/recipes.md and that of docs/tenancy.md, one at a time, in a copy of the
// project. A probe (*.probe.ts) then looks for what the recipe promises. With QUICK only the tests that a recipe concerns run, not
// the commands that check it.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { makeWorkCopy, runScript } from '../support/project-copy.ts'
import { addField, addProvider, addRole, allowRole, changeSource, describeSettings } from '../support/recipes.ts'
import { makeNotesPerOrganization, writeNotes } from '../support/tenancy-recipe.ts'

const { folder, remove } = makeWorkCopy()
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
git('add', '--all')
git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '--message', 'Begin')
after(remove)
afterEach(() => {
  git('reset', '--quiet', '--hard')
  git('clean', '--quiet', '--force', '-d')
})

/** The files that differ from the project, in their order. */
const changedFiles = () =>
  git('status', '--porcelain', '--untracked-files=all', '-z')
    .split('\0')
    .filter(Boolean)
    .map((line) => line.slice(3))
    .sort()

function run(command: string, env: Record<string, string> = {}): { isOk: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(folder, 'node_modules', '.bin')}:${process.env.PATH}`, NO_COLOR: '1', ...env },
    maxBuffer: 64 * 1024 * 1024,
  })
  return { isOk: status === 0, output: stdout + stderr }
}

function assertRuns(command: string, env?: Record<string, string>): void {
  const { isOk, output } = run(command, env)
  assert.ok(isOk, `${command}:\n${output.slice(-4_000)}`)
}

const probe = (name: string) => `vitest run --config tests/template/recipes/vitest.config.ts ${name}`

/** Runs the command that the page names, or in a hurry the type check and these unit tests. */
function assertChecks(command: string, tests: string[]): void {
  if (!process.env.QUICK) {
    assertRuns(command)
    return
  }
  const { isOk, output } = runScript(folder, 'typecheck')
  assert.ok(isOk, `npm run typecheck:\n${output.slice(-4_000)}`)
  assertRuns(
    `vitest run ${['src/modules.test.ts', 'src/recipes.test.ts', 'src/security-docs.test.ts', ...tests].join(' ')}`,
  )
}

test('a provider is one file, and the description of its settings', () => {
  const recipe = addProvider(folder)
  assert.deepEqual(changedFiles(), ['src/core/auth/oauth/providers/discord.ts'])
  assert.deepEqual(recipe.settings, ['AUTH_DISCORD_ID', 'AUTH_DISCORD_SECRET'])
  assertRuns(probe('provider'), Object.fromEntries(recipe.settings.map((name) => [name, 'x'])))
  describeSettings(folder, recipe)
  assertChecks(recipe.check, ['src/core/auth/oauth', 'src/core/env', 'src/core/doctor'])
  assert.deepEqual(changedFiles(), ['.env.example', 'src/core/auth/oauth/providers/discord.ts'])
})

test('a role is one file and a migration, and the rank of its tokens is that of the table', () => {
  const { check } = addRole(folder)
  const changed = changedFiles()
  assert.deepEqual(
    changed.filter((file) => !file.startsWith('src/core/db/_migrations/')),
    ['src/core/auth/roles.ts'],
  )
  assert.equal(changed.filter((file) => file.endsWith('_roles.sql')).length, 1)
  assertRuns(probe('role'))
  allowRole(folder)
  const tests = [
    'src/core/auth/policy',
    'src/core/auth/roles',
    'tokens.test.ts',
    'import.test.ts',
    'list-users.test.ts',
  ]
  assertChecks(check, tests)

  // The probe knows the right rank: it fails if the role is above the editor.
  const file = 'src/core/auth/roles.ts'
  const entry = / {2}\{\n {4}name: 'author',[\s\S]*?\n {2}\},\n/
  const text = readFileSync(join(folder, file), 'utf8').match(entry)?.[0] ?? ''
  changeSource(folder, file, entry, '')
  changeSource(folder, file, "  {\n    name: 'admin',", `${text}  {\n    name: 'admin',`)
  const { isOk, output } = run(probe('role'))
  assert.ok(!isOk, 'the probe passes with a wrong rank')
  assert.match(output, /FAIL .*a user with the role author can give a token this role and lower ones/)
})

test('a field is one folder, and is gone with it', () => {
  const { check } = addField(folder)
  assert.deepEqual(
    changedFiles().filter((file) => !file.startsWith('src/app/(company)/')),
    [],
  )
  assertRuns(probe('field'))
  assertChecks(check, ['src/core/auth/user-fields', 'src/core/auth/user', 'export.test.ts', 'document.test.ts'])
  rmSync(join(folder, 'src/app/(company)'), { recursive: true })
  assert.deepEqual(changedFiles(), [])
  assertRuns(probe('field'))
})

test('a module of your own becomes one of organizations in its own folder alone', () => {
  writeNotes(folder)
  git('add', '--all')
  makeNotesPerOrganization(folder)
  assert.deepEqual(
    changedFiles().filter((file) => !file.startsWith('src/app/(notes)/')),
    [],
  )
  assertRuns(probe('tenancy'))
  assertChecks('npm run format && npm run check', ['src/core/module', 'export.test.ts', 'document.test.ts'])

  // The probe fails if the list is that of all organizations.
  const file = 'src/app/(notes)/find-notes.ts'
  changeSource(folder, file, 'readInScope(reader, (source) => [', "acrossScopes('a mistake', async () => [")
  changeSource(folder, file, '    source\n', '    await db\n')
  changeSource(folder, file, '      .where(ofScope(notes.scopeId))\n', '')
  const { isOk, output } = run(probe('tenancy'))
  assert.ok(!isOk, 'the probe passes although every note is listed everywhere')
  assert.match(output, /FAIL .*a note of an organization is listed there, and nowhere else/)
})
