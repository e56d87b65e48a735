import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp } from './app.ts'
import { resume } from './change.ts'
import { saveOperation } from './operation.ts'
import { type Snapshot, stateFile, writeState } from './snapshot.ts'

const snapshot: Snapshot = { version: '0.3.0', modules: [], workshop: [], titleIn: [], releases: [], files: {} }
const file = 'src/actions.ts'

let folder: string
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()

/** Commits the state of an app at a version. Returns the commit. */
function commitVersion(version: string): string {
  writeFileSync(join(folder, stateFile), writeState({ name: 'shop', version, modules: [] }))
  git('add', '--all')
  git('commit', '--quiet', '-m', version)
  return git('rev-parse', 'HEAD')
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-releases-'))
  git('init', '--quiet')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('config', 'commit.gpgSign', 'false')
  mkdirSync(join(folder, 'src'))
  writeFileSync(
    join(folder, file),
    `import { defineAction } from '@/core/action'\n\nexport const save = defineAction({ keep: ['name'] })\n`,
  )
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Finishes an upgrade whose own commit is done. Returns the exit code and what was printed. */
function finishUpgrade(prepare: () => void): { code: number; printed: string } {
  const [from, next] = [commitVersion('0.2.0'), commitVersion('0.3.0')]
  const app = openApp(folder)
  saveOperation(app.repository, {
    what: 'upgrade',
    prefix: '',
    from,
    next,
    written: [],
    hasNewPackages: false,
    nextSteps: [],
  })
  prepare()
  const lines: string[] = []
  const output = { print: (...more: string[]) => void lines.push(...more), result: () => {} }
  const code = resume(snapshot, app, { isDryRun: false, isInstalled: false, manager: 'npm' }, output)
  return { code, printed: lines.join('\n') }
}

test('an upgrade renames in the user’s own files in another commit, and says how to undo both', () => {
  const { code, printed } = finishUpgrade(() => {})
  expect(code).toBe(0)
  expect(printed).toContain(`in another commit:\n  ${file}`)
  expect(printed).toContain('To undo: git reset --keep HEAD~2')
  expect(git('status', '--porcelain')).toBe('')
  git('reset', '--quiet', '--keep', 'HEAD~2')
  expect(git('log', '-1', '--format=%s')).toBe('0.2.0')
})

test('if git cannot make the other commit, the upgrade says so, and how to undo its own', () => {
  const { code, printed } = finishUpgrade(() => {
    git('config', 'commit.gpgSign', 'true')
    git('config', 'gpg.program', 'false')
  })
  expect(code).toBe(1)
  expect(printed).not.toContain('in another commit')
  expect(printed).toMatch(/for you to commit:\n {2}src\/actions\.ts\ngit couldn’t commit these files: .*gpg/s)
  expect(printed).toContain('To undo: git stash && git reset --keep HEAD~1')
  expect(git('log', '-1', '--format=%s')).toBe('0.3.0')
  git('stash', '--quiet')
  git('reset', '--quiet', '--keep', 'HEAD~1')
  expect(git('log', '-1', '--format=%s')).toBe('0.2.0')
  expect(git('status', '--porcelain')).toBe('')
})
