import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync, Visitor } from 'vite'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'

const maxFileLines = 300
const maxFunctionLines = 80
const maxFilesPerFolder = 14

/** The sources of the template, without tests and generated files. */
const sources = ['*.ts', '{src,scripts,cli}/**/*.{ts,tsx,mjs,css}']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => !/\.(test|e2e)\.tsx?$|^next-env\.d\.ts$|\/node_modules\//.test(path))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Every function of a file, with its number of lines. Lines of JSX do not count. */
function functionsOf(path: string, text: string): { at: string; lines: number }[] {
  const functions: { start: number; end: number }[] = []
  const jsx: { start: number; end: number }[] = []
  const addFunction = (node: { start: number; end: number }) => void functions.push(node)
  const addJsx = (node: { start: number; end: number }) => void jsx.push(node)
  new Visitor({
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: addFunction,
    JSXElement: addJsx,
    JSXFragment: addJsx,
  }).visit(parseSync(path, text).program)
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  return functions.map(({ start, end }) => {
    const lines = new Set<number>()
    const range = { first: lineAt(start), last: lineAt(end) }
    for (let line = range.first; line <= range.last; line++) lines.add(line)
    for (const element of jsx.filter((one) => one.start > start && one.end <= end))
      for (let line = lineAt(element.start); line <= lineAt(element.end); line++) lines.delete(line)
    return { at: `${path}:${range.first}`, lines: lines.size }
  })
}

test('no source file has more than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(300)
  const long = sources.map((path) => ({ path, lines: read(path).split('\n').length - 1 }))
  expect(long.filter(({ lines }) => lines > maxFileLines)).toEqual([])
})

test('no function has more than 80 lines, without JSX', () => {
  const code = sources.filter((path) => !path.endsWith('.css'))
  const functions = code.flatMap((path) => functionsOf(path, read(path)))
  expect(functions.length).toBeGreaterThan(1_000)
  expect(functions.filter(({ lines }) => lines > maxFunctionLines)).toEqual([])
  const long = `function long() {${'\n'.repeat(81)}}`
  expect(functionsOf('long.ts', long)).toEqual([{ at: 'long.ts:1', lines: 82 }])
  expect(functionsOf('long.tsx', `const Long = () => (\n<p>${'\n'.repeat(81)}</p>\n)`)).toEqual([
    { at: 'long.tsx:1', lines: 2 },
  ])
})

test('no folder of core but ui has more than 14 source files', () => {
  const byFolder = Map.groupBy(
    sources.filter((path) => path.startsWith('src/core/')),
    (path) => dirname(path),
  )
  byFolder.delete('src/core/ui')
  expect(byFolder.size).toBeGreaterThan(10)
  const full = [...byFolder].filter(([, files]) => files.length > maxFilesPerFolder)
  expect(full.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
})
