// npm run test:gate: does the gate really close? Plants one fault at a time into a copy of the project; `npm run check`
// must fail for it, and say why.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeWorkCopy, runScript } from '../support/copy.ts'

interface Fault {
  what: string
  /** Files to write, by path: whole, or made from what is there. */
  plant: Record<string, string | ((before: string) => string)>
  /** What the gate must say. */
  says: RegExp
}

const other = {
  'src/app/(other)/module.ts': `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'other', title: 'Other' })\n`,
  'src/app/(other)/module.json': `{ "name": "other", "title": "Other", "description": "x", "requires": [], "npm": [], "env": [], "tables": [] }\n`,
  'src/app/(other)/README.md': '# Other\n',
  'src/app/(other)/greeting.ts': `export const greeting = 'hello'\n`,
}
const boundary = /noRestrictedImports[\s\S]*No import path contains a parenthesis/

const erasePage = `import { erase } from './actions'\n\nexport default function Page() {\n  return <form action={erase} />\n}\n`
const unguardedAction = /FAIL[\s\S]*server actions are made by defineAction/

const faults: Fault[] = [
  {
    what: 'one module imports another, by a relative path',
    plant: {
      ...other,
      'src/app/(third)/page.tsx': `import { greeting } from '../(other)/greeting'\n\nexport default function Page() {\n  return greeting\n}\n`,
    },
    says: boundary,
  },
  {
    what: 'one module imports another, by the alias',
    plant: {
      ...other,
      'src/app/(third)/page.tsx': `import { greeting } from '@/app/(other)/greeting'\n\nexport default function Page() {\n  return greeting\n}\n`,
    },
    says: boundary,
  },
  {
    what: 'core imports a module',
    plant: { ...other, 'src/core/shortcut.ts': `export { greeting } from '@/app/(other)/greeting'\n` },
    says: boundary,
  },
  {
    what: 'core imports a module when it runs',
    plant: { ...other, 'src/core/shortcut.ts': `export const greeting = () => import('@/app/(other)/greeting')\n` },
    says: boundary,
  },
  {
    what: 'an action that does not say who may call it',
    plant: {
      'src/app/dashboard/actions.ts': `'use server'\n\nimport { z } from 'zod'\nimport { defineAction } from '@/core/action'\n\nexport const erase = defineAction({ input: z.object({}), run: async () => null })\n`,
    },
    says: /Property 'allow' is missing/,
  },
  {
    what: 'a handler that does not say who may call it',
    plant: {
      'src/app/api/erase/route.ts': `import { defineHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  POST: defineHandler({ summary: 'Erase', answers: {}, run: () => new Response() }),\n})\n`,
    },
    says: /Property 'allow' is missing/,
  },
  {
    what: 'a handler that does not say what it does and what it answers',
    plant: {
      'src/app/api/erase/route.ts': `import { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  POST: definePublicHandler({ run: () => null }),\n})\n`,
    },
    says: /missing the following properties[\s\S]*: summary, answers/,
  },
  {
    what: 'a handler that answers something else than it says',
    plant: {
      'src/app/api/count/route.ts': `import { z } from 'zod'\nimport { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  GET: definePublicHandler({\n    summary: 'Count',\n    answers: { 200: z.object({ count: z.number() }) },\n    run: () => ({ count: 'one' }),\n  }),\n})\n`,
    },
    says: /Type 'string' is not assignable to type 'number'/,
  },
  {
    what: 'an action that goes around defineAction',
    plant: {
      'src/app/erase/actions.ts': `'use server'\n\nexport async function erase(): Promise<void> {}\n`,
      'src/app/erase/page.tsx': erasePage,
    },
    says: unguardedAction,
  },
  {
    what: 'an action that goes around defineAction, under a comment',
    plant: {
      'src/app/erase/actions.ts': `// Nothing to see here.\n'use server'\n\nexport async function erase(): Promise<void> {}\n`,
      'src/app/erase/page.tsx': erasePage,
    },
    says: unguardedAction,
  },
  {
    what: 'an action inside a page',
    plant: {
      'src/app/erase/page.tsx': `export default function Page() {\n  async function erase() {\n    'use server'\n  }\n  return <form action={erase} />\n}\n`,
    },
    says: unguardedAction,
  },
  {
    what: 'a route that goes around defineRoute',
    plant: { 'src/app/api/raw/route.ts': 'export const GET = () => Response.json({})\n' },
    says: /FAIL[\s\S]*route files export what defineRoute made/,
  },
  {
    what: 'a route that goes around defineRoute, with another ending',
    plant: { 'src/app/api/raw/route.tsx': 'export const GET = () => Response.json({})\n' },
    says: /FAIL[\s\S]*route files export what defineRoute made/,
  },
  {
    what: 'Auth.js imported outside its folder',
    plant: { 'src/core/shortcut.ts': `export { default } from 'next-auth'\n` },
    says: /noRestrictedImports[\s\S]*Auth.js stays behind/,
  },
  {
    what: 'a cookie read outside core/auth',
    plant: {
      'src/app/erase/page.tsx': `import { headers } from 'next/headers'\n\nexport default async function Page() {\n  return (await headers()).get('cookie')\n}\n`,
    },
    says: /FAIL[\s\S]*only core\/auth reads cookies/,
  },
  {
    what: 'a dependency that nothing uses',
    plant: {
      'package.json': (before) => before.replace('"dependencies": {', '"dependencies": {\n    "left-over": "1.0.0",'),
    },
    says: /Unused dependencies[\s\S]*left-over/,
  },
  {
    what: 'a platform package that the lockfile lacks',
    plant: {
      'package-lock.json': (before) =>
        before.replaceAll('"node_modules/@next/swc-darwin-arm64"', '"node_modules/@next/swc-gone"'),
    },
    says: /@next\/swc-darwin-arm64/,
  },
]

const { folder, remove } = makeWorkCopy()
let failures = 0
try {
  for (const { what, plant, says } of faults) {
    const before = new Map<string, string | undefined>()
    for (const [file, content] of Object.entries(plant)) {
      const path = join(folder, file)
      let present: string | undefined
      try {
        present = readFileSync(path, 'utf8')
      } catch {}
      before.set(path, present)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, typeof content === 'string' ? content : content(present ?? ''))
    }
    const { isOk, output } = runScript(folder, 'check')
    const isCaught = !isOk && says.test(output)
    console.log(`${isCaught ? 'caught' : 'MISSED'}  ${what}`)
    if (!isCaught) {
      failures++
      console.log(output.slice(-3000))
    }
    for (const [path, content] of before) {
      if (content === undefined) rmSync(path)
      else writeFileSync(path, content)
    }
    for (const left of ['(other)', '(third)', 'api/erase', 'api/raw', 'erase'])
      rmSync(join(folder, 'src/app', left), { recursive: true, force: true })
  }
} finally {
  remove()
}
console.log(`${faults.length - failures} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
