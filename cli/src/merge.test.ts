import { describe, expect, test } from 'vitest'
import { mergeEnvExample, withoutBlocks } from './env-example.ts'
import { manifestFor, mergeManifest } from './manifest.ts'
import { mergeKeys } from './merge.ts'

const map = (entries: Record<string, string>) => new Map(Object.entries(entries))

describe('merging by keys', () => {
  test.each([
    ['a new key of the template is added', {}, { a: '1' }, {}, { a: '1' }, {}],
    ['a changed key is changed', { a: '1' }, { a: '2' }, { a: '1' }, { a: '2' }, { a: '1' }],
    ['a removed key is removed', { a: '1' }, {}, { a: '1', mine: 'x' }, { mine: 'x' }, { a: '1', mine: 'x' }],
    [
      'a key of the user stays',
      { a: '1' },
      { a: '2' },
      { a: '1', mine: 'x' },
      { a: '2', mine: 'x' },
      { a: '1', mine: 'x' },
    ],
    ['a key that only the user changed stays', { a: '1' }, { a: '1' }, { a: '9' }, { a: '9' }, { a: '9' }],
    ['a key that only the user deleted stays deleted', { a: '1' }, { a: '1' }, {}, {}, {}],
    ['the same change on both sides is no conflict', { a: '1' }, { a: '2' }, { a: '2' }, { a: '2' }, { a: '2' }],
    ['different changes of one key are left to git', { a: '1' }, { a: '2' }, { a: '9' }, { a: '2' }, { a: '1' }],
  ])('%s', (_, base, next, user, wantedNext, wantedBase) => {
    const merged = mergeKeys(map(base), map(next), map(user))
    expect(Object.fromEntries(merged.next)).toEqual(wantedNext)
    expect(Object.fromEntries(merged.base)).toEqual(wantedBase)
  })
})

describe('package.json', () => {
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const base = { name: 'shop', scripts: { dev: 'a' }, dependencies: { next: '1.0.0', zod: '4.0.0' } }

  test('takes packages and scripts of the template, and keeps those of the user, sorted', () => {
    const next = {
      ...base,
      scripts: { dev: 'a', test: 'b' },
      dependencies: { next: '2.0.0', otp: '1.0.0', zod: '4.0.0' },
    }
    const user = {
      ...base,
      scripts: { dev: 'a', mine: 'x' },
      dependencies: { next: '1.0.0', own: '1.0.0', zod: '4.0.0' },
    }
    const merged = mergeManifest({ base: text(base), next: text(next), user: text(user) })
    expect(merged.base).toBe(text(user))
    expect(JSON.parse(merged.next)).toEqual({
      name: 'shop',
      scripts: { dev: 'a', mine: 'x', test: 'b' },
      dependencies: { next: '2.0.0', otp: '1.0.0', own: '1.0.0', zod: '4.0.0' },
    })
    expect(Object.keys(JSON.parse(merged.next).dependencies)).toEqual(['next', 'otp', 'own', 'zod'])
  })

  test('leaves only two versions of one package to git', () => {
    const next = { ...base, dependencies: { next: '2.0.0', zod: '5.0.0' } }
    const user = { ...base, dependencies: { next: '1.5.0', zod: '4.0.0' } }
    const merged = mergeManifest({ base: text(base), next: text(next), user: text(user) })
    expect(JSON.parse(merged.base).dependencies).toEqual({ next: '1.0.0', zod: '4.0.0' })
    expect(JSON.parse(merged.next).dependencies).toEqual({ next: '2.0.0', zod: '5.0.0' })
  })

  test('stays byte-identical if nothing changes', () => {
    const user = JSON.stringify({ ...base, mine: true }, null, '\t')
    const merged = mergeManifest({ base: text(base), next: text(base), user })
    expect(merged).toEqual({ base: user, next: user })
  })

  test('of an app has no scripts of missing files and no overrides of missing packages', () => {
    const template = {
      name: 'plinth',
      version: '0.2.0',
      description: 'x',
      license: 'MIT',
      scripts: { dev: 'node scripts/serve.ts', bench: 'node tests/template/bench/users.ts', build: 'next build' },
      dependencies: { next: '1.0.0', qr: '1.0.0' },
      devDependencies: { zed: '1.0.0', biome: '1.0.0' },
      overrides: { auth: { qr: '$qr', next: '$next' }, only: { qr: '$qr' }, pinned: '1.2.3' },
    }
    const made = manifestFor(text(template), {
      name: 'shop',
      version: '0.2.0',
      unused: ['qr'],
      files: new Set(['scripts/serve.ts']),
    })
    expect(JSON.parse(made)).toEqual({
      name: 'shop',
      version: '0.1.0',
      scripts: { dev: 'node scripts/serve.ts', build: 'next build', plinth: 'plinth' },
      dependencies: { next: '1.0.0' },
      devDependencies: { biome: '1.0.0', 'create-plinth': '0.2.0', zed: '1.0.0' },
      overrides: { auth: { next: '$next' }, pinned: '1.2.3' },
    })
  })
})

describe('.env.example', () => {
  const core = '# Settings.\n\n# --- core ---\n\nA=1\n'
  const account = '# --- account ---\n\nB=\n'
  const mine = '# --- shop ---\n\nMINE=\n'

  test('loses the block of a removed module only', () => {
    const all = `${core}\n${account}`
    expect(withoutBlocks(all, ['account'])).toBe(core)
    expect(withoutBlocks(all, [])).toBe(all)
  })

  test('gets a new block beside one of the user', () => {
    const user = `${core}\n${mine}`
    const merged = mergeEnvExample({ base: core, next: `${core}\n${account}`, user })
    expect(merged.base).toBe(user)
    expect(merged.next).toBe(`${core}\n${account}\n${mine}`)
  })

  test('leaves a block that both changed to git', () => {
    const user = core.replace('A=1', 'A=2')
    const merged = mergeEnvExample({ base: core, next: core.replace('A=1', 'A=3'), user })
    expect(merged).toEqual({ base: core, next: core.replace('A=1', 'A=3') })
  })
})
