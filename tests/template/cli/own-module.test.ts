import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { installCli } from '../support/cli.ts'
import { linkNodeModules, runScript } from '../support/project-copy.ts'
import { stepsIn } from '../support/recipes.ts'
import { fullTemplate, oldModuleNames, TestApp } from './test-app.ts'

/** Writes the module that docs/modules.md of the older version explains. */
function writeNotes(app: TestApp): void {
  const steps = stepsIn(app.read('docs/modules.md'))
  assert.ok(steps.length >= 9, `docs/modules.md has ${steps.length} steps`)
  for (const { name, content } of steps) app.write(name.startsWith('src/') ? name : `src/app/(notes)/${name}`, content)
  app.write('src/app/(notes)/README.md', '# Notes\n\nShort notes.\n')
}

/** The steps that an upgrade leaves to the user, done as its words say. */
function doWhatIsLeft(app: TestApp): void {
  app.edit('src/app/(notes)/actions.ts', (text) =>
    text
      .replace(
        'await db.insert(notes).values({ text: input.text, authorId: actor.id })',
        `await transactionAs(actor, can('notes.write'), (tx) =>
      tx.insert(notes).values({ text: input.text, authorId: actor.id }),
    )`,
      )
      .replace("import { db } from '@/core/db/client'", "import { transactionAs } from '@/core/auth/transaction-as'"),
  )
  app.edit('src/app/(notes)/api/notes/route.ts', (text) =>
    text
      .replace(
        'defineHandler({ allow',
        `defineHandler({ summary: 'List the latest notes', responses: { 200: z.object({ notes: z.array(Note) }) }, allow`,
      )
      .replace(
        /^(?=export const)/m,
        `const Note = z.object({ id: z.uuid(), text: z.string(), author: z.string() }).meta({ id: 'Note' })\n\n`,
      )
      .replace(/^/, `import { z } from 'zod'\n`),
  )
}

test('a module written from the documentation of 0.1.0 is renamed by the upgrade, and passes after the steps it names', () => {
  using app = new TestApp(fullTemplate, 'frozen', oldModuleNames)
  writeNotes(app)
  app.commit('Notes')

  const printed = app.upgrade()
  assert.deepEqual(app.conflicts, [])
  assert.ok(app.isClean)
  // What breaks, by version, and what is left to do, by file.
  assert.match(printed, /Breaking in 0\.2\.0:[\s\S]*summary[\s\S]*Breaking in 0\.3\.0:[\s\S]*transactionAs/)
  assert.match(printed, /Left for you to do:\n/)
  for (const file of ['actions.ts', 'api/notes/route.ts', 'ui.tsx'])
    assert.ok(printed.includes(`src/app/(notes)/${file}: `), `${file} in:\n${printed}`)
  assert.match(printed, /To undo: git reset --keep HEAD~2/)

  // Two commits: the upgrade, and the renames in the user's own files.
  const subjects = app.git('log', '-3', '--format=%s').trim().split('\n')
  assert.match(subjects[0] ?? '', /^Rename what Plinth renamed since 0\.1\.0/)
  assert.match(subjects[1] ?? '', /^Upgrade Plinth from 0\.1\.0/)
  assert.equal(subjects[2], 'Notes')
  assert.deepEqual(
    app
      .git('show', '--name-only', '--format=', 'HEAD')
      .trim()
      .split('\n')
      .filter((path) => !path.includes('(notes)')),
    [],
  )
  assert.match(app.read('src/app/(notes)/module.ts'), /exportUserData: async/)
  assert.match(app.read('src/app/(notes)/actions.ts'), /preserve: \['text'\]/)
  assert.match(app.read('src/app/(notes)/notes/page.tsx'), /<AppShell>[\s\S]*<SubmitButton>Add/)
  assert.match(app.read('src/app/(notes)/notes.e2e.ts'), /tests\/app\/support\/e2e-test\.ts/)
  // Nobody is signed out: the names of cookies stay.
  assert.match(app.read('src/brand.ts'), /appSlug = 'plinth'/)
  assert.match(app.read('plinth.json'), /"slug": "plinth"/)

  doWhatIsLeft(app)
  execFileSync('rm', ['-rf', 'node_modules'], { cwd: app.folder })
  linkNodeModules(app.folder)
  installCli(app.folder)
  for (const script of ['format', 'lint', 'typecheck', 'unused']) {
    const { isOk, output } = runScript(app.folder, script)
    assert.ok(isOk, `npm run ${script}:\n${output.slice(-4000)}`)
  }
})
