// npm run test:recipes: follows the larger recipes of docs/recipes.md and that of docs/tenancy.md, one at a time, in a copy of the
// project. A probe (*.probe.ts) then looks for what the recipe promises.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { makeWorkCopy } from '../support/project-copy.ts'
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

test('a provider is one file, and the description of its settings', () => {
  const recipe = addProvider(folder)
  assert.deepEqual(changedFiles(), ['src/core/auth/oauth/providers/discord.ts'])
  assert.deepEqual(recipe.settings, ['AUTH_DISCORD_ID', 'AUTH_DISCORD_SECRET'])
  assertRuns(probe('provider'), Object.fromEntries(recipe.settings.map((name) => [name, 'x'])))
  describeSettings(folder, recipe)
  assertRuns(recipe.check)
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
  assertRuns(check)

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
  assertRuns(check)
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
  assertRuns('npm run format && npm run check')

  // The probe fails if the list is that of all organizations.
  const file = 'src/app/(notes)/find-notes.ts'
  changeSource(folder, file, 'readInScope(reader, (source) => [', "acrossScopes('a mistake', async () => [")
  changeSource(folder, file, '    source\n', '    await db\n')
  changeSource(folder, file, '      .where(ofScope(notes.scopeId))\n', '')
  const { isOk, output } = run(probe('tenancy'))
  assert.ok(!isOk, 'the probe passes although every note is listed everywhere')
  assert.match(output, /FAIL .*a note of an organization is listed there, and nowhere else/)
})
