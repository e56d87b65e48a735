import { basename, dirname, join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { makeSnapshot } from '../make-snapshot.ts'
import { render, slugOf, titleOf, withRequired } from './render.ts'
import { readState, stateFile } from './snapshot.ts'

const snapshot = makeSnapshot()
const all = snapshot.modules.map(({ name }) => name)

test.each([
  ['shop', 'Shop'],
  ['my-shop', 'My shop'],
  ['a_b.c', 'A b c'],
])('the title of %s is %s', (name, title) => {
  expect(titleOf(name)).toBe(title)
})

test.each([
  ['shop', 'shop'],
  ['my.shop_2', 'my-shop-2'],
  ['shop-', 'shop'],
  [`a${'-b'.repeat(40)}`, `a${'-b'.repeat(15)}`],
])('the slug of %s is %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
})

test('the name of the app replaces that of the template', () => {
  for (const { file, text } of snapshot.titleIn)
    expect(snapshot.files[file], file).toMatchObject({ text: expect.stringContaining(text) })
  const tree = render(snapshot, { name: 'my-shop', modules: [] })
  const brand = tree.get('src/brand.ts')?.toString()
  expect(brand).toContain("appName = 'My shop'")
  expect(brand).toContain("appSlug = 'my-shop'")
  expect(brand).toContain("appDescription = 'What My shop does, in one sentence.'")
  expect(brand).not.toMatch(/plinth/i)
  expect(tree.get('README.md')?.toString()).toMatch(/^# My shop\n/)
  expect(JSON.parse(tree.get('package.json')?.toString() ?? '').name).toBe('my-shop')
  expect(JSON.parse(tree.get('package-lock.json')?.toString() ?? '').name).toBe('my-shop')
})

test('the name of an app may contain that of the template', () => {
  const brand = render(snapshot, { name: 'my-plinth', modules: [] }).get('src/brand.ts')?.toString()
  expect(brand).toContain("appName = 'My plinth'")
  expect(brand).toContain("appSlug = 'my-plinth'")
  expect(brand).toContain("appDescription = 'What My plinth does, in one sentence.'")
})

describe.each([
  ['no module', []],
  ['all modules', all],
])('an app with %s', (_, modules) => {
  const tree = render(snapshot, { name: 'shop', modules })
  const text = (path: string) => tree.get(path)?.toString() ?? ''

  test('has exactly the folders of these modules', () => {
    const folders = [...tree.keys()].flatMap((path) => /^src\/app\/\(([^/]+)\)\//.exec(path)?.[1] ?? [])
    expect([...new Set(folders)].sort()).toEqual(modules)
    expect(readState(text(stateFile))).toEqual({ name: 'shop', version: snapshot.version, modules })
  })

  test('has no files or packages that only the template needs', () => {
    expect(
      [...tree.keys()].filter((path) => /^(cli|\.ci|tests\/template)\/|^(CHANGELOG|CONTRIBUTING)/.test(path)),
    ).toEqual([])
    expect(text('package.json')).not.toContain('@clack/prompts')
    expect(text('package-lock.json')).not.toContain('@clack/')
  })

  test('has no script that nothing else in it names', () => {
    const texts = [...tree].map(([path, bytes]) => ({ path, content: bytes.toString() }))
    const unnamed = [...tree.keys()].filter(
      (path) =>
        /^scripts\/[^/]+$/.test(path) &&
        !path.endsWith('.test.ts') &&
        !texts.some((other) => other.path !== path && other.content.includes(basename(path))),
    )
    expect(unnamed).toEqual([])
  })

  test('has no broken links in its markdown files', () => {
    const brokenLinks = [...tree.keys()]
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...text(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target = '']) => join(dirname(path), target))
          .filter((target) => ![...tree.keys()].some((one) => one === target || one.startsWith(`${target}/`)))
          .map((target) => `${path} -> ${target}`),
      )
    expect(brokenLinks).toEqual([])
  })

  test('mentions only npm scripts that it has in its markdown files', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const missing = [...tree.keys()]
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...text(path).matchAll(/npm run ([\w:-]+)/g)]
          .map(([, name = '']) => name)
          .filter((name) => !(name in scripts))
          .map((name) => `${path}: ${name}`),
      )
    expect(missing).toEqual([])
  })
})

test('the same state gives the same files, whatever the order of its modules', () => {
  const [one, other] = [all, all.toReversed()].map((modules) => render(snapshot, { name: 'shop', modules }))
  expect([...(one ?? [])]).toEqual([...(other ?? [])])
})

describe('what a module requires', () => {
  const withRequirements = {
    ...snapshot,
    modules: [
      { name: 'a', requires: ['b'] },
      { name: 'b', requires: ['c'] },
      { name: 'c', requires: [] },
      { name: 'd', requires: [] },
    ].map((facts) => ({ title: '', description: '', npm: [], env: [], tables: [], ...facts })),
  }

  test('is added', () => {
    expect(withRequired(withRequirements, ['a'])).toEqual(['a', 'b', 'c'])
    expect(withRequired(withRequirements, ['d', 'c'])).toEqual(['c', 'd'])
    expect(() => withRequired(withRequirements, ['x'])).toThrow('Unknown module "x". Available modules: a, b, c, d.')
  })
})
