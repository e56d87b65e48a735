import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeSnapshot } from './make-snapshot.ts'

test('everything in the snapshot of a commit is from that commit, not from the work tree', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-objects-'))
  // The objects of this test are in no repository.
  vi.stubEnv('GIT_OBJECT_DIRECTORY', folder)
  try {
    const git = (input: string, ...args: string[]) => execFileSync('git', args, { input, encoding: 'utf8' }).trim()
    const blob = (text: string) => git(text, 'hash-object', '-w', '--stdin')
    const tree = (...entries: string[]) => git(`${entries.join('\n')}\n`, 'mktree')
    const app = tree(`100644 blob ${blob('# An earlier one')}\tREADME.md`)
    const commit = tree(
      `040000 tree ${tree(`040000 tree ${app}\tapp`)}\tcli`,
      `100644 blob ${blob('{ "version": "0.0.1" }')}\tpackage.json`,
    )
    const { version, files } = makeSnapshot({ commit })
    expect(version).toBe('0.0.1')
    expect(files).toEqual({
      'README.md': { text: '# An earlier one' },
      'package.json': { text: '{ "version": "0.0.1" }' },
    })
  } finally {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true, force: true })
  }
})
