// npm run test:changed: the unit tests of what has changed since the last commit, and the rules that any file can break. All unit
// tests are "npm run test", which CI runs.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run test:changed')

// An app has no rules about the words and sizes of the template.
const rules = [
  'src/modules.test.ts',
  'src/pages.test.ts',
  'src/jobs.test.ts',
  'scripts/schema-changes.test.ts',
  'src/words.test.ts',
  'src/size.test.ts',
].filter((path) => existsSync(join(root, path)))

/** Source files that differ from the last commit; null if there is none. */
function findChanged(): string[] | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (git('rev-parse', '--verify', '--quiet', 'HEAD').status !== 0) return null
  const tracked = git('diff', '--name-only', '--relative', '-z', 'HEAD').stdout
  const untracked = git('ls-files', '--others', '--exclude-standard', '-z').stdout
  return (tracked + untracked).split('\0').filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)))
}

const changed = findChanged()
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const args = changed ? ['related', '--run', ...new Set([...rules, ...changed])] : ['run']
const { status } = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
