// npm run test:mutations [-- --one-by-one] [name …]: checks that the security suite detects bugs. Applies mutations to a
// copy of the project, builds it, and runs the checks that must now fail, each with a message that names the bug.
// Mutations that do not hide one another share a build, which saves minutes; --one-by-one builds each alone.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { insertBug } from '../support/insert-bug.ts'
import { makeWorkCopy, runScript } from '../support/project-copy.ts'
import { mutations } from './mutations.ts'

showUsage('npm run test:mutations [-- --one-by-one] [<name> …]')

const options = process.argv.slice(2)
const isOneByOne = options.includes('--one-by-one')
const requested = options.filter((option) => !option.startsWith('--'))
const wanted = mutations.filter(({ name }) => requested.length === 0 || requested.includes(name))
const builds = isOneByOne
  ? wanted.map((mutation) => [mutation])
  : [...Map.groupBy(wanted, ({ build }) => build).values()]

/** The output of this check if it failed, else undefined. */
const failureOf = (number: string, output: string) =>
  new RegExp(`^ {2}FAIL ${number} [\\s\\S]*?(?=^ {2}(?:ok|FAIL|skip)|^\\S|^$\\n^[A-Z])`, 'm').exec(output)?.[0]

let failures = 0
for (const mutationsOfBuild of builds) {
  const { folder, remove } = makeWorkCopy()
  try {
    for (const mutation of mutationsOfBuild) insertBug(folder, mutation)
    rmSync(join(folder, '.next'), { recursive: true, force: true })
    const build = runScript(folder, 'build')
    if (!build.isOk)
      throw new Error(
        `The copy with ${mutationsOfBuild.map(({ name }) => name)} does not build:\n${build.output.slice(-3000)}`,
      )
    const numbers = mutationsOfBuild.map(({ failingCheck }) => failingCheck)
    const { stdout, stderr, status } = spawnSync(process.execPath, ['tests/template/security/run.ts', ...numbers], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    for (const { name, description, failingCheck, expected } of mutationsOfBuild) {
      const failure = failureOf(failingCheck, stdout)
      const isFound = status !== 0 && failure !== undefined && expected.test(failure)
      console.log(
        `${isFound ? 'found ' : 'MISSED'}  ${name}: ${description}\n        ${(
          failure ?? (stdout + stderr).slice(-1500)
        )
          .trim()
          .replaceAll('\n', '\n        ')
          .slice(0, isFound ? 400 : 4000)}`,
      )
      if (!isFound) failures++
    }
  } finally {
    remove()
  }
}
console.log(`${wanted.length - failures} of ${wanted.length} mutations found`)
process.exit(failures > 0 ? 1 : 0)
