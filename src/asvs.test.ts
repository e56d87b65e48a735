import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What there is to answer: every requirement of level 1 and 2, and its level. */
const requirements = read('docs/asvs-5.0.0.txt')
  .trim()
  .split('\n')
  .map((line) => line.split(' ').join(' on level '))

const page = read('docs/asvs.md')
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, id = '', level = '', about = '', state = '', shown = '']) => ({ id, level, about, state, shown }),
)
const states = ['met', 'deployer', 'not applicable', 'not met']

/** Numbers that run, wherever they are registered; a check that is skipped shows nothing. */
const running = new Set(
  globSync('tests/{hostile,faults}/**/*.ts', { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/\b(?:check|check[A-Z]\w*)\(\s*(?:'\w+',\s*)?'([HP]-\d+)'/g)].map(
      (match) => match[1] ?? '',
    ),
  ),
)

/** A module that is not installed took its tests along. */
function isAbsentModule(file: string): boolean {
  const folder = /^src\/app\/\([^)]+\)/.exec(file)?.[0]
  return folder !== undefined && !existsSync(join(root, folder))
}

/** All numbers that a text names, those between two of them included. */
function numbersIn(text: string): string[] {
  return [...text.matchAll(/`([HP])-(\d+)`(?: to `\1-(\d+)`)?/g)].flatMap(([, prefix, from = '', to = from]) =>
    Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, index) => `${prefix}-${String(Number(from) + index).padStart(from.length, '0')}`,
    ),
  )
}

/** All test files that a text names, with the words that must be in them. */
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

test('every row says how it stands, and those that are met name what shows it', () => {
  for (const { id, state, shown } of rows) {
    expect(states, id).toContain(state)
    expect(shown.trim(), id).not.toBe('')
    if (state === 'met') expect(numbersIn(shown).length + filesIn(shown).length, id).toBeGreaterThan(0)
  }
})

test('every check that is named runs, and every file that is named has what it is named for', () => {
  const missing = rows.flatMap(({ id, shown }) => [
    ...numbersIn(shown)
      .filter((number) => !running.has(number))
      .map((number) => `${id}: ${number} does not run`),
    ...filesIn(shown)
      .filter(({ file }) => !isAbsentModule(file))
      .filter(({ file, words }) => !existsSync(join(root, file)) || !read(file).includes(words))
      .map(({ file, words }) => `${id}: ${file} is not there, or says nothing of "${words}"`),
  ])
  expect(missing).toEqual([])
})

test('every section that is named is there', () => {
  const headings = [...read('docs/security.md').matchAll(/^#+ (.+)$/gm)].map((match) => slug(match[1] ?? ''))
  const named = [...page.matchAll(/\(security\.md#([^)]+)\)/g)].map((match) => match[1] ?? '')
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((anchor) => !headings.includes(anchor))).toEqual([])
})

test('the head counts the rows, and lists what is not met', () => {
  const count = (state: string, level?: string) =>
    rows.filter((row) => row.state === state && (level ?? row.level) === row.level).length
  for (const state of states)
    expect(page).toContain(`| ${state} | ${count(state, '1')} | ${count(state, '2')} | ${count(state)} |\n`)
  const head = page.slice(0, page.indexOf('\n## '))
  const listed = [...head.matchAll(/^- \*\*(\d+\.\d+\.\d+)\*\*/gm)].map((match) => match[1])
  expect(listed).toEqual(rows.filter(({ state }) => state === 'not met').map(({ id }) => id))
})

describe('no source does what the table says none does', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))

  test.each([
    ['start a program', /['"](node:)?child_process['"]/],
    ['run text as code', /\beval\(|\bnew Function\(|['"](node:)?vm['"]/],
    ['make a regular expression of input', /\bnew RegExp\(/],
    ['listen to other windows', /addEventListener\(\s*['"]message['"]|\.onmessage\b/],
    ['speak WebSocket or WebRTC', /\bWebSocket\b|\bRTCPeerConnection\b/],
    ['parse XML', /\bDOMParser\b|['"](xml2js|fast-xml-parser|sax|libxmljs)['"]/],
  ])('%s', (_, pattern) => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((file) => pattern.test(read(file)))).toEqual([])
  })
})
