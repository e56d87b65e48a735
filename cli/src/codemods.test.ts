import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../scripts/root.ts'
import { readReleases } from '../changelog.ts'
import { makeSnapshot } from '../make-snapshot.ts'
import { migrateSources } from './codemods.ts'

const releases = readReleases(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
const imports = releases.flatMap((release) => release.imports)

/** The file after the codemods, and what is left to do. */
function migrate(text: string, path = 'src/app/(shop)/orders.ts') {
  const { changed, todo } = migrateSources(new Map([[path, text]]), imports, (other) => !other.endsWith('ui.tsx'))
  return { text: changed.get(path) ?? text, changed, todo }
}

describe('the changelog', () => {
  test('has a section for each version, newest first, and the present one on top', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(releases.map((release) => release.version)).toEqual([version, '0.2.0', '0.1.0'])
  })

  test('says what to do about renames, without its tables', () => {
    expect(releases[0]?.breaking).toMatch(/transactionAs/)
    expect(releases[0]?.breaking).not.toMatch(/^\||:$/m)
    expect(imports.length).toBeGreaterThan(50)
  })

  test('names only files that exist as new ones', async () => {
    const { existsSync } = await import('node:fs')
    const missing = imports
      .map(({ to }) => to.replace(/^@\//, 'src/'))
      .filter((path) => !['', '.ts', '.tsx'].some((end) => existsSync(join(root, path + end))))
    expect(missing).toEqual([])
  })
})

describe('imports', () => {
  test('get the new path and the new names, and so do their uses', () => {
    const { text } = migrate(
      `import { addressGroup, originOf } from '@/core/address'\n\nconst from = originOf(await headers())\nconsole.log(addressGroup(from.ip), 'originOf')\n`,
    )
    expect(text).toBe(
      `import { ipGroup, getClientInfo } from '@/core/http/client-ip'\n\nconst from = getClientInfo(await headers())\nconsole.log(ipGroup(from.ip), 'originOf')\n`,
    )
  })

  test('are divided if only some exports have moved', () => {
    const { text } = migrate(`import { requireName, removeUnproved, type Person } from '@/core/auth/people'\n`)
    expect(text).toBe(
      `import { requireName } from '@/core/auth/user/name'\nimport { deleteUnverifiedUser, type Person } from '@/core/auth/user/create'\n`,
    )
  })

  test('get an alias where the old name is also a property', () => {
    const { text } = migrate(`import { record } from '@/core/audit/record'\n\nexport const log = { record }\n`)
    expect(text).toBe(
      `import { recordAuditEvent as record } from '@/core/audit/record-audit-event'\n\nexport const log = { record }\n`,
    )
  })

  test('by import() and of test support are changed, too', () => {
    expect(migrate(`const { hash } = await import('@/core/auth/password')\n`).text).toContain(
      `import('@/core/auth/password/hash')`,
    )
    const { text } = migrate(
      `import { signIn, test } from '../../../tests/support/journey.ts'\n`,
      'src/app/(shop)/shop.e2e.ts',
    )
    expect(text).toBe(`import { signIn, test } from '../../../tests/app/support/e2e-test.ts'\n`)
  })

  test('of a file that an app no longer has are left to the user', () => {
    const source = new Map([
      ['src/app/(shop)/shop.test.ts', `import { signedInAs } from '../../../tests/support/people.ts'\n`],
    ])
    const { todo } = migrateSources(source, imports, () => false)
    expect(todo.join()).toContain('tests/app/support/new-session-token.ts')
  })

  test('that did not change stay as they are', () => {
    const source = `import { z } from 'zod'\nimport { defineLimit } from '@/core/limits/limit'\n\nexport const answers = { keep: 1 }\n`
    expect(migrate(source)).toMatchObject({ text: source, todo: [] })
  })
})

test('nothing changes in the files of the template, which have the new names', () => {
  const { files } = makeSnapshot()
  const sources = Object.entries(files).flatMap(([path, file]): [string, string][] =>
    /^(src|tests|scripts)\/.*\.tsx?$/.test(path) && 'text' in file ? [[path, file.text]] : [],
  )
  expect(sources.length).toBeGreaterThan(500)
  const { changed, todo } = migrateSources(new Map(sources), imports, (path) => path in files)
  expect([[...changed.keys()], todo]).toEqual([[], []])
})

describe('the rest', () => {
  test('properties of actions, handlers and modules have their new names', () => {
    expect(
      migrate(
        `import { defineHandler } from '@/core/handler'\n\nexport const list = defineHandler({\n  summary: 'x',\n  answers: { 302: { leadsTo: 'the answers: all' } },\n})\n`,
      ).text,
    ).toContain(`  responses: { 302: { redirect: 'the answers: all' } },`)
    expect(
      migrate(
        `import { defineModule } from '@/core/module'\n\nexport default defineModule({\n  name: 'shop',\n  async erase(tx, userId) {},\n})\n`,
        'src/app/(shop)/module.ts',
      ).text,
    ).toContain('async deleteUserData(tx, userId)')
  })

  test('only properties of the object itself get new names, not those in its schemas and functions', () => {
    const action = (keep: string) =>
      `import { defineAction } from '@/core/action'\n\nconst options = { keep: 1 }\n\nexport const save = defineAction({\n  // What the user's form has.\n  input: z.object({ keep: z.boolean(), name: z.string().regex(/^[^{'"]+$/) }),\n  ${keep}: ['name'],\n  async run({ input }) {\n    return write({ keep: input.keep })\n  },\n})\n`
    expect(migrate(action('keep')).text).toBe(action('preserve'))
    const handler = (answers: string) =>
      `import { definePublicHandler } from "@/core/handler"\n\nexport const list = definePublicHandler({ summary: 'x', body: z.object({ answers: z.string() }), ${answers}: { 200: z.object({ leadsTo: z.string(), refuses: z.string() }) } })\n`
    expect(migrate(handler('answers')).text).toBe(handler('responses'))
  })

  test('properties of a call whose brackets do not match are left to the user', () => {
    const text = `import { defineAction } from '@/core/action'\n\nexport const save = defineAction({ keep: ['name') })\n`
    expect(migrate(text)).toMatchObject({ text, todo: [expect.stringContaining('keep → preserve')] })
  })

  test('AppShell loses its properties, SubmitButton its class name, and imports that nothing uses go', () => {
    const { text } = migrate(
      `import { buttonVariants } from '@/core/ui/button'\nimport { modules } from '@/modules'\n\nconst page = (\n  <AppShell actor={actor} navigation={modules.flatMap((module) => module.navigation ?? [])}>\n    <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>Go</SubmitButton>\n  </AppShell>\n)\n`,
      'src/app/(shop)/page.tsx',
    )
    expect(text).toBe(
      `\nconst page = (\n  <AppShell>\n    <SubmitButton variant="outline" size="small">Go</SubmitButton>\n  </AppShell>\n)\n`,
    )
  })

  test.each([
    "{ variant: 'outline', className: 'w-full' }",
    "{ variant: isDangerous ? 'destructive' : 'outline', size: 'small' }",
    "{ ...looks, size: 'small' }",
    '{ variant }',
    'looks',
  ])('SubmitButton keeps buttonVariants(%s), which is left to the user', (given) => {
    const page = `import { buttonVariants } from '@/core/ui/button'\n\nconst go = <SubmitButton className={buttonVariants(${given})}>Go</SubmitButton>\n`
    expect(migrate(page, 'src/app/(shop)/page.tsx')).toMatchObject({
      text: page,
      todo: [
        'src/app/(shop)/page.tsx: pass "variant" and "size" to SubmitButton itself, and only other classes in "className".',
      ],
    })
  })

  test('the navigation moves to ui.tsx, unless there is one', () => {
    const module = `import { defineModule } from '@/core/module'\nimport { can, permissions } from './policy'\n\nexport default defineModule({\n  name: 'shop',\n  permissions,\n  navigation: [{ label: 'Shop', href: '/shop', description: 'All', allow: can('shop.read') }],\n})\n`
    const { text, changed } = migrate(module, 'src/app/(shop)/module.ts')
    expect(text).toContain(`import { permissions } from './policy'`)
    expect(text).not.toContain('navigation')
    expect(changed.get('src/app/(shop)/ui.tsx')).toMatch(/icon: Circle[\s\S]*label: 'Shop', href: '\/shop', allow: can/)
    // Also if ui.tsx is none of the user's own files, but of the template.
    const beside = migrateSources(new Map([['src/app/(shop)/module.ts', module]]), imports, () => true)
    expect(beside.todo.join()).toContain('move "navigation" to ui.tsx')
    expect(beside.changed.size).toBe(0)
  })

  test('quotes and brackets in comments, strings and regular expressions do not change where the navigation ends', () => {
    const start = `import { defineModule } from '@/core/module'\n\nexport default defineModule({\n  name: 'shop',\n`
    const navigation = [
      '  navigation: [',
      "    // The shop's page :-]",
      "    /* It's the first ] */",
      `    { label: 'Ada\\'s ]', href: '/shop', description: 'Ada\\'s', allow: /['\\]]/.test(\`]\${\`]\`}\`) },`,
      '  ],',
      '',
    ].join('\n')
    const { text, changed } = migrate(`${start}${navigation}  jobs: [],\n})\n`, 'src/app/(shop)/module.ts')
    expect(text).toBe(`${start}  jobs: [],\n})\n`)
    const ui = changed.get('src/app/(shop)/ui.tsx')
    expect(ui).toContain("// The shop's page")
    expect(ui).toContain("label: 'Ada\\'s ]', href: '/shop', allow: /")
    expect(ui).not.toContain('jobs')
  })

  test('code whose brackets do not match stays, and is left to the user', () => {
    const module = `import { defineModule } from '@/core/module'\n\nexport default defineModule({\n  navigation: [{ label: 'Shop' ),\n  ],\n})\n`
    const { changed, todo } = migrate(module, 'src/app/(shop)/module.ts')
    expect(changed.size).toBe(0)
    expect(todo).toEqual([expect.stringContaining('move "navigation" to ui.tsx')])
    const page = `const page = <AppShell actor={[actor}>Hi</AppShell>\n`
    expect(migrate(page, 'src/app/(shop)/page.tsx')).toMatchObject({
      text: page,
      todo: [expect.stringContaining('remove "actor" and "navigation" from AppShell')],
    })
  })

  test('what needs a decision is named with its file', () => {
    const left = (text: string) => migrate(text).todo.join()
    expect(left(`import { defineHandler } from '@/core/handler'\ndefineHandler({ allow, run })\n`)).toMatch(
      /^src\/app\/\(shop\)\/orders\.ts: add "summary"/,
    )
    expect(left(`'use server'\n\nawait db.insert(orders)\n`)).toContain('transactionAs')
    expect(left(`import { record } from '@/core/audit/record'\nawait record(tx, 'a', { actorId, from })\n`)).toContain(
      '"client"',
    )
    expect(left(`import { defineMail } from '@/core/mail/mail'\ndefineMail('a', {})\n`)).toContain('samples')
  })
})
