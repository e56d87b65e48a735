import { dirname, join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { makeSnapshot } from '../make-snapshot.ts'
import { render, titleOf, withRequired } from './render.ts'
import { readState, stateFile } from './snapshot.ts'

const snapshot = makeSnapshot()
const all = snapshot.modules.map(({ name }) => name)

test.each([
  ['shop', 'Shop'],
  ['my-shop', 'My shop'],
  ['a_b.c', 'A b c'],
])('%s is called %s', (name, title) => {
  expect(titleOf(name)).toBe(title)
})

test('the name stands where it is looked for', () => {
  for (const { file, text } of snapshot.titleIn)
    expect(snapshot.files[file], file).toMatchObject({ text: expect.stringContaining(text) })
  const tree = render(snapshot, { name: 'my-shop', modules: [] })
  expect(tree.get('src/core/app-name.ts')?.toString()).toContain("appName = 'My shop'")
  expect(tree.get('README.md')?.toString()).toMatch(/^# My shop\n/)
  expect(JSON.parse(tree.get('package.json')?.toString() ?? '').name).toBe('my-shop')
  expect(JSON.parse(tree.get('package-lock.json')?.toString() ?? '').name).toBe('my-shop')
})

describe.each([
  ['no module', []],
  ['all modules', all],
])('an app with %s', (_, modules) => {
  const tree = render(snapshot, { name: 'shop', modules })
  const text = (path: string) => tree.get(path)?.toString() ?? ''

  test('has the folders of these modules, and no others', () => {
    const folders = [...tree.keys()].flatMap((path) => /^src\/app\/\(([^/]+)\)\//.exec(path)?.[1] ?? [])
    expect([...new Set(folders)].sort()).toEqual(modules)
    expect(readState(text(stateFile))).toEqual({ name: 'shop', version: snapshot.version, modules })
  })

  test('has nothing of the workshop in it', () => {
    expect([...tree.keys()].filter((path) => /^(cli|\.ci|\.github)\/|^(CHANGELOG|CONTRIBUTING)/.test(path))).toEqual([])
    expect(text('package.json')).not.toContain('@clack/prompts')
    expect(text('package-lock.json')).not.toContain('@clack/')
  })

  test('has no link in its documents that leads nowhere', () => {
    const dead = [...tree.keys()]
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) =>
        [...text(path).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
          .map(([, target = '']) => join(dirname(path), target))
          .filter((target) => ![...tree.keys()].some((one) => one === target || one.startsWith(`${target}/`)))
          .map((target) => `${path} -> ${target}`),
      )
    expect(dead).toEqual([])
  })

  test('names in no document a command that it does not have', () => {
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

test('the same state gives the same bytes, whatever the order of its modules', () => {
  const [one, other] = [all, all.toReversed()].map((modules) => render(snapshot, { name: 'shop', modules }))
  expect([...(one ?? [])]).toEqual([...(other ?? [])])
})

describe('what a module requires', () => {
  const needy = {
    ...snapshot,
    modules: [
      { name: 'a', requires: ['b'] },
      { name: 'b', requires: ['c'] },
      { name: 'c', requires: [] },
      { name: 'd', requires: [] },
    ].map((facts) => ({ title: '', description: '', npm: [], env: [], tables: [], ...facts })),
  }

  test('comes along', () => {
    expect(withRequired(needy, ['a'])).toEqual(['a', 'b', 'c'])
    expect(withRequired(needy, ['d', 'c'])).toEqual(['c', 'd'])
    expect(() => withRequired(needy, ['x'])).toThrow('There is no module "x". There are: a, b, c, d.')
  })
})
