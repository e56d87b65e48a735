import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Every requirement of ASVS level 1 and 2, with its level. */
const requirements = read('docs/asvs-5.0.0.txt')
  .trim()
  .split('\n')
  .map((line) => line.split(' ').join(' on level '))

const page = read('docs/asvs.md')
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', level = '', about = '', state = '', evidence = '']) => ({ id, level, about, state, evidence }),
)
const states = ['met', 'deployer', 'not applicable', 'not met']

/** The numbers of all checks that run. A skipped check proves nothing, so it does not count. */
const runningChecks = new Set(
  globSync('tests/template/{security,faults}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/\b(?:check|check[A-Z]\w*)\(\s*(?:'[\w-]+',\s*)?'([HP]-\d+)'/g)].map(
      (match) => match[1] ?? '',
    ),
  ),
)

/** Whether the file belongs to a module that is not installed: its tests are then missing too. */
function isAbsentModule(file: string): boolean {
  const folder = /^src\/app\/\([^)]+\)/.exec(file)?.[0]
  return folder !== undefined && !existsSync(join(root, folder))
}

/** All check numbers in a text, with ranges (`H-001` to `H-003`) expanded. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/`([HP])-(\d+)`(?: to `\1-(\d+)`)?/g)].flatMap(([, prefix, from = '', to = from]) =>
    Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, index) => `${prefix}-${String(Number(from) + index).padStart(from.length, '0')}`,
    ),
  )
}

/** All test files that a text names, with the quoted text that they must contain. */
const filesIn = (text: string) =>
  [...text.matchAll(/`([^`]+\.ts)`(?: "([^"]+)")?/g)].map(([, file = '', words = '']) => ({ file, words }))

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

test('every requirement of level 1 and 2 is in the table once, with its level', () => {
  expect(rows.map(({ id, level }) => `${id} on level ${level}`)).toEqual(requirements)
  expect(requirements.filter((one) => one.endsWith('1'))).toHaveLength(70)
  expect(requirements).toHaveLength(253)
})

test('every row has a state, and every row that is met names a check or a test', () => {
  for (const { id, state, evidence } of rows) {
    expect(states, id).toContain(state)
    expect(evidence.trim(), id).not.toBe('')
    if (state === 'met') expect(numbersIn(evidence).length + filesIn(evidence).length, id).toBeGreaterThan(0)
  }
})

test('every check in the table runs, and every test file in it exists and contains the quoted text', () => {
  const missing = rows.flatMap(({ id, evidence }) => [
    ...numbersIn(evidence)
      .filter((number) => !runningChecks.has(number))
      .map((number) => `${id}: ${number} does not run`),
    ...filesIn(evidence)
      .filter(({ file }) => !isAbsentModule(file))
      .filter(({ file, words }) => !existsSync(join(root, file)) || !read(file).includes(words))
      .map(({ file, words }) => `${id}: ${file} does not exist, or does not contain "${words}"`),
  ])
  expect(missing).toEqual([])
})

test('every section of security.md that the table links to exists', () => {
  const headings = [...read('docs/security.md').matchAll(/^#+ (.+)$/gm)].map((match) => slug(match[1] ?? ''))
  const named = [...page.matchAll(/\(security\.md#([^)]+)\)/g)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((anchor) => !headings.includes(anchor))).toEqual([])
})

test('the summary has the right counts, and lists the requirements that are not met', () => {
  const count = (state: string, level?: string) =>
    rows.filter((row) => row.state === state && (level ?? row.level) === row.level).length
  for (const state of states)
    expect(page).toContain(`| ${state} | ${count(state, '1')} | ${count(state, '2')} | ${count(state)} |\n`)
  const head = page.slice(0, page.indexOf('\n## '))
  const listed = [...head.matchAll(/^- \*\*(\d+\.\d+\.\d+)\*\*/gm)].map((match) => match[1])
  expect(listed).toEqual(rows.filter(({ state }) => state === 'not met').map(({ id }) => id))
})

describe('no source uses what the table says is not used', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))

  test.each([
    ['child processes', /['"](node:)?child_process['"]/],
    ['eval', /(?<!client\.)\beval\(|\bnew Function\(|['"](node:)?vm['"]/],
    ['regular expressions built from input', /\bnew RegExp\(/],
    ['messages from other windows', /addEventListener\(\s*['"]message['"]|\.onmessage\b/],
    ['WebSocket or WebRTC', /\bWebSocket\b|\bRTCPeerConnection\b/],
    ['XML parsers', /\bDOMParser\b|['"](xml2js|fast-xml-parser|sax|libxmljs)['"]/],
  ])('%s', (_, pattern) => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((file) => pattern.test(read(file)))).toEqual([])
  })
})
