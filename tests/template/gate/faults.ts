// Mistakes that "npm run check" must find, each with words that say what is wrong.
import type { Fault } from './change.ts'
import { moduleFiles } from './change.ts'

const other = {
  'src/app/(other)/module.ts': `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'other', title: 'Other' })\n`,
  'src/app/(other)/module.json': `{ "name": "other", "title": "Other", "description": "x", "requires": [], "npm": [], "env": [], "tables": [] }\n`,
  'src/app/(other)/README.md': '# Other\n',
  'src/app/(other)/greeting.ts': `export const greeting = 'hello'\n`,
}
const boundary = /noRestrictedImports[\s\S]*No import path contains a parenthesis/

const discardPage = `import { discard } from './actions'\n\nexport default function Page() {\n  return <form action={discard} />\n}\n`
const unguardedAction = /FAIL[\s\S]*server actions are made by defineAction/

export const faults: Fault[] = [
  {
    title: 'a module imports another module by a relative path',
    files: {
      ...other,
      'src/app/(third)/page.tsx': `import { greeting } from '../(other)/greeting'\n\nexport default function Page() {\n  return greeting\n}\n`,
    },
    expected: boundary,
  },
  {
    title: 'a module imports another module by the alias',
    files: {
      ...other,
      'src/app/(third)/page.tsx': `import { greeting } from '@/app/(other)/greeting'\n\nexport default function Page() {\n  return greeting\n}\n`,
    },
    expected: boundary,
  },
  {
    title: 'core imports a module',
    files: { ...other, 'src/core/shortcut.ts': `export { greeting } from '@/app/(other)/greeting'\n` },
    expected: boundary,
  },
  {
    title: 'core imports a module dynamically',
    files: { ...other, 'src/core/shortcut.ts': `export const greeting = () => import('@/app/(other)/greeting')\n` },
    expected: boundary,
  },
  {
    title: 'an action without allow',
    files: {
      'src/app/dashboard/actions.ts': `'use server'\n\nimport { z } from 'zod'\nimport { defineAction } from '@/core/action'\n\nexport const discard = defineAction({ input: z.object({}), run: async () => null })\n`,
    },
    expected: /Property 'allow' is missing/,
  },
  {
    title: 'a handler without allow',
    files: {
      'src/app/api/discard/route.ts': `import { defineHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  POST: defineHandler({ summary: 'Discard', responses: {}, run: () => new Response() }),\n})\n`,
    },
    expected: /Property 'allow' is missing/,
  },
  {
    title: 'a handler without a summary and responses',
    files: {
      'src/app/api/discard/route.ts': `import { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  POST: definePublicHandler({ run: () => null }),\n})\n`,
    },
    expected: /missing the following properties[\s\S]*: summary, responses/,
  },
  {
    title: 'a handler whose return type does not match its response schema',
    files: {
      'src/app/api/count/route.ts': `import { z } from 'zod'\nimport { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  GET: definePublicHandler({\n    summary: 'Count',\n    responses: { 200: z.object({ count: z.number() }) },\n    run: () => ({ count: 'one' }),\n  }),\n})\n`,
    },
    expected: /Type 'string' is not assignable to type 'number'/,
  },
  {
    title: 'an action without defineAction',
    files: {
      'src/app/discard/actions.ts': `'use server'\n\nexport async function discard(): Promise<void> {}\n`,
      'src/app/discard/page.tsx': discardPage,
    },
    expected: unguardedAction,
  },
  {
    title: 'an action without defineAction, below a comment',
    files: {
      'src/app/discard/actions.ts': `// Nothing to see here.\n'use server'\n\nexport async function discard(): Promise<void> {}\n`,
      'src/app/discard/page.tsx': discardPage,
    },
    expected: unguardedAction,
  },
  {
    title: 'an inline action in a page',
    files: {
      'src/app/discard/page.tsx': `export default function Page() {\n  async function discard() {\n    'use server'\n  }\n  return <form action={discard} />\n}\n`,
    },
    expected: unguardedAction,
  },
  {
    title: 'a route without defineRoute',
    files: { 'src/app/api/raw/route.ts': 'export const GET = () => Response.json({})\n' },
    expected: /FAIL[\s\S]*route files export the result of defineRoute/,
  },
  {
    title: 'a route without defineRoute in a .tsx file',
    files: { 'src/app/api/raw/route.tsx': 'export const GET = () => Response.json({})\n' },
    expected: /FAIL[\s\S]*route files export the result of defineRoute/,
  },
  {
    title: 'Auth.js imported outside its folder',
    files: { 'src/core/shortcut.ts': `export { default } from 'next-auth'\n` },
    expected: /noRestrictedImports[\s\S]*Auth.js stays behind/,
  },
  {
    title: 'a cookie read outside core/auth',
    files: {
      'src/app/discard/page.tsx': `import { headers } from 'next/headers'\n\nexport default async function Page() {\n  return (await headers()).get('cookie')\n}\n`,
    },
    expected: /FAIL[\s\S]*only core\/auth reads cookies/,
  },
  {
    title: 'an unused dependency',
    files: {
      'package.json': (before) => before.replace('"dependencies": {', '"dependencies": {\n    "left-over": "1.0.0",'),
    },
    expected: /Unused dependencies[\s\S]*left-over/,
  },
  {
    title: 'a platform package missing from the lockfile',
    files: {
      'package-lock.json': (before) =>
        before.replaceAll('"node_modules/@next/swc-darwin-arm64"', '"node_modules/@next/swc-gone"'),
    },
    expected: /@next\/swc-darwin-arm64/,
  },
  {
    title: 'a page that shows data without asking who is calling',
    files: {
      'src/app/everybody/page.tsx': `import { db } from '@/core/db/client'\nimport { users } from '@/core/db/schema'\n\nexport default async function Page() {\n  const found = await db.select({ name: users.name }).from(users).limit(10)\n  return <p>{found.map(({ name }) => name).join()}</p>\n}\n`,
    },
    expected: /src\/app\/everybody\/page\.tsx shows what [^\n]* reads, but does not ask who is calling\. Call/,
  },
  {
    title: 'a page that shows data through a file of its module',
    files: {
      ...moduleFiles('leak'),
      'src/app/(leak)/find-users.ts': `import { db } from '@/core/db/client'\nimport { users } from '@/core/db/schema'\n\nexport const findUsers = () => db.select({ name: users.name }).from(users).limit(10)\n`,
      'src/app/(leak)/leak/page.tsx': `import { connection } from 'next/server'\nimport { findUsers } from '../find-users'\n\nexport default async function Page() {\n  await connection()\n  return <p>{(await findUsers()).map(({ name }) => name).join()}</p>\n}\n`,
    },
    expected: /src\/app\/\(leak\)\/leak\/page\.tsx shows what src\/app\/\(leak\)\/find-users\.ts reads/,
  },
  {
    title: 'an action that writes without checking the permission again',
    files: {
      ...moduleFiles('hole', { module: "permissions: { 'hole.write': ['admin'] }" }),
      'src/app/(hole)/policy.ts': `import { definePolicy } from '@/core/auth/policy'\n\nexport const { can, permissions } = definePolicy({ 'hole.write': ['admin'] })\n`,
      'src/app/(hole)/actions.ts': `'use server'\n\nimport { eq } from 'drizzle-orm'\nimport { z } from 'zod'\nimport { defineAction } from '@/core/action'\nimport { db } from '@/core/db/client'\nimport { users } from '@/core/db/schema'\nimport { can } from './policy'\n\nexport const rename = defineAction({\n  input: z.object({ name: z.string() }),\n  allow: can('hole.write'),\n  run: async ({ input, actor }) => {\n    await db.update(users).set({ name: input.name }).where(eq(users.id, actor.id))\n    return null\n  },\n})\n`,
      'src/app/(hole)/hole/page.tsx': `import { ActionForm } from '@/core/ui/form'\nimport { rename } from '../actions'\n\nexport default function Page() {\n  return <ActionForm action={rename}>x</ActionForm>\n}\n`,
    },
    expected: /FAIL[\s\S]*src\/app\/\(hole\)\/actions\.ts/,
  },
  {
    title: 'a job that no list has',
    files: {
      ...moduleFiles('lost'),
      'src/app/(lost)/jobs.ts': `import { z } from 'zod'\nimport { defineJob } from '@/core/jobs/job'\n\nexport const lost = defineJob('lost.job', { data: z.object({}), run: async () => {} })\n`,
      'src/app/(lost)/lost/page.tsx': `import { lost } from '../jobs'\n\nexport default function Page() {\n  return <p>{lost.name}</p>\n}\n`,
    },
    expected: /lost\.job, defined in src\/app\/\(lost\)\/jobs\.ts/,
  },
  {
    title: 'a schema that changed without a migration',
    files: {
      'src/core/db/schema.ts': (before) =>
        before.replace(/(export const users = pgTable\(\s*'users',\s*\{\n)/, `$1    nickname: text('nickname'),\n`),
    },
    expected: /every schema has its migrations[\s\S]*db:generate/,
  },
  {
    title: 'access decided by comparing the role',
    files: {
      'src/app/discard/page.tsx': `import { signedIn } from '@/core/auth/policy'\nimport { requirePermission } from '@/core/auth/session/actor'\n\nexport default async function Page() {\n  const actor = await requirePermission(signedIn, '/discard')\n  return actor.role === 'admin' ? <p>Secrets</p> : null\n}\n`,
    },
    expected: /compares the role of the caller\. Use allow, requirePermission or isAllowed instead/,
  },
  {
    title: 'a type error',
    files: {
      'src/app/discard/page.tsx': `export default function Page() {\n  const total: number = 'one'\n  return <p>{total}</p>\n}\n`,
    },
    expected: /src\/app\/discard\/page\.tsx[\s\S]*is not assignable to type 'number'/,
  },
  {
    title: 'a unit test that fails',
    files: {
      'src/app/discard/sum.ts': `export const sum = (a: number, b: number) => a - b\n`,
      'src/app/discard/sum.test.ts': `import { expect, test } from 'vitest'\nimport { sum } from './sum'\n\ntest('adds', () => {\n  expect(sum(1, 1)).toBe(2)\n})\n`,
      'src/app/discard/page.tsx': `import { sum } from './sum'\n\nexport default function Page() {\n  return <p>{sum(1, 1)}</p>\n}\n`,
    },
    expected: /FAIL[\s\S]*src\/app\/discard\/sum\.test\.ts/,
  },
  {
    title: 'a file that nothing uses',
    files: { 'src/app/discard/forgotten.ts': `export const forgotten = 1\n` },
    expected: /Unused files[\s\S]*src\/app\/discard\/forgotten\.ts/,
  },
]
