// Part of npm run test:verdict: whether every test and every numbered check of commit 4870bc1, whose run took an
// hour, is still there. Most titles have been reworded since: titles.json has the new one for each. Prints what is missing.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'

const before = '4870bc1'
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'ignore'] })
const isTest = (file: string) => /(\.(test|e2e)|^tests\/.*)\.tsx?$/.test(file) && !/frozen|^cli\/dist/.test(file)

const titlePattern =
  /\b(?:test|it|withOwn|withPerson|withOwnApp|withUser)(?:\.\w+)*(?:<[^(]*?>)?\(\s*(?:\[[\s\S]*?\](?:\s+as const)?\)\(\s*)?(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g
const numberPattern = /'([HP]-\d+)',\s*['"`]/g

function collect(texts: string[]): { titles: Set<string>; numbers: Set<string> } {
  const find = (pattern: RegExp, group: number) =>
    new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[group] ?? '')))
  return { titles: find(titlePattern, 2), numbers: find(numberPattern, 1) }
}

const old = collect(
  git('ls-tree', '-r', '--name-only', before)
    .split('\n')
    .filter(isTest)
    .map((file) => git('show', `${before}:${file}`)),
)
const present = collect(
  git('ls-files')
    .split('\n')
    .filter(isTest)
    .map((file) => readFileSync(join(root, file), 'utf8')),
)
const reworded: Record<string, string | { gone: string }> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'titles.json'), 'utf8'),
)

const missing = [...old.numbers].filter((number) => !present.numbers.has(number))
let goneCount = 0
for (const title of old.titles) {
  const now = reworded[title] ?? title
  if (typeof now === 'object') goneCount++
  else if (!present.titles.has(now)) missing.push(`${title} (now: ${now})`)
}
console.log(
  `${old.titles.size} titles and ${old.numbers.size} numbers then, ${present.titles.size} and ${present.numbers.size} now.`,
)
console.log(`${goneCount} tests are gone with what they tested.`)
console.log(missing.length === 0 ? 'Nothing is missing.' : `Missing:\n${missing.join('\n')}`)
process.exitCode = missing.length === 0 ? 0 : 1
