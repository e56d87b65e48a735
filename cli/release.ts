// node cli/release.ts <version>: whether this commit can be released as that version. Says what is missing.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/root.ts'
import { readReleases } from './changelog.ts'

/** What keeps this commit from being released as that version. */
export function releaseProblems(version: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const own: string = JSON.parse(read('package.json')).version
  const locked: string = JSON.parse(read('package-lock.json')).version
  const changelog = read('CHANGELOG.md')
  const [latest, ...earlier] = readReleases(changelog)
  const missing = earlier
    .map((release) => `tests/template/cli/frozen/create-plinth-${release.version}.tgz`)
    .filter((path) => !existsSync(join(root, path)))
  return [
    ...(own === version ? [] : [`package.json has version ${own}, not ${version}.`]),
    ...(locked === version ? [] : [`package-lock.json has version ${locked}: run "npm install --package-lock-only".`]),
    ...(latest?.version === version
      ? []
      : [`The first section of CHANGELOG.md is ${latest?.version}, not ${version}.`]),
    ...(/^Not released yet\.$/m.test(changelog)
      ? ['CHANGELOG.md says "Not released yet.": write the date instead.']
      : []),
    ...missing.map((path) => `${path} is missing: upgrades from it could not be tested.`),
  ]
}

if (process.argv[1] === import.meta.filename) {
  const problems = releaseProblems(process.argv[2] ?? '')
  for (const problem of problems) console.error(problem)
  process.exit(problems.length > 0 ? 1 : 0)
}
