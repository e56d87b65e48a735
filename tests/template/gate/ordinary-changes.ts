// What developers do to their apps every week. "npm run check" must not complain about any of it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addField,
  addProvider,
  addRole,
  changeLook,
  followInModule,
  generateMigrations,
  readRecipe,
  stepsIn,
  writeSource,
} from '../support/recipes.ts'
import { type Change, moduleFiles } from './change.ts'

/** Writes the module that docs/modules.md explains, with its migration. */
function writeNotes(folder: string): void {
  const page = readFileSync(join(folder, 'docs', 'modules.md'), 'utf8')
  for (const { name, content } of stepsIn(page))
    writeSource(folder, name.startsWith('src/') ? name : `src/app/(notes)/${name}`, content)
  writeSource(folder, 'src/app/(notes)/README.md', '# Notes\n')
  generateMigrations(folder, { ...readRecipe(folder, 'Add a role'), generate: ['npm run db:generate -- notes init'] })
}

const manifest =
  (change: (manifest: { scripts: Record<string, string>; dependencies: Record<string, string> }) => void) =>
  (before: string) => {
    const parsed = JSON.parse(before)
    change(parsed)
    parsed.dependencies = Object.fromEntries(Object.entries(parsed.dependencies).sort())
    return `${JSON.stringify(parsed, null, 2)}\n`
  }

/** The recipes that add something to a module. */
const inModule = [
  'Begin a module',
  'Add a page to the navigation',
  'Add a permission',
  'Add a section to the settings',
  'Add a widget to the dashboard',
  'Add a job',
  'Add an email',
  'Add an endpoint',
  'Add a setting',
]

export const ordinaryChanges: Change[] = [
  ...inModule.map((recipe) => ({
    title: `the recipe "${recipe}"`,
    files: {},
    prepare: (folder: string) => followInModule(folder, recipe),
  })),
  { title: 'the recipe "Change the name and the look"', files: {}, prepare: changeLook },
  {
    title: 'a public page that queries the database, and says so',
    files: {
      'src/app/about/page.tsx': `import { count } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'

export const metadata = { title: 'About' }
export const access = 'public'
export const dynamic = 'force-dynamic'

export default async function AboutPage() {
  const [found] = await db.select({ total: count() }).from(users)
  return <main>{found?.total} users</main>
}
`,
    },
  },
  {
    title: 'a webhook that checks an HMAC and calls another service',
    files: {
      'src/app/api/webhook/route.ts': `import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const Order = z.object({ id: z.string(), signature: z.string() })

function isSigned({ id, signature }: z.output<typeof Order>): boolean {
  const expected = createHmac('sha256', 'a secret').update(id).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Receive an order',
    body: Order,
    responses: { 200: z.object({ isReceived: z.boolean() }) },
    errors: ['forbidden'],
    run: async ({ body }) => {
      if (!isSigned(body)) throw new AppError('forbidden')
      const response = await fetch('https://shop.example/orders', { method: 'POST', body: body.id })
      return { isReceived: response.ok }
    },
  }),
})
`,
    },
  },
  {
    title: 'a new limit and a new audit kind, in an action',
    files: {
      ...moduleFiles('orders'),
      'src/app/(orders)/actions.ts': `'use server'

import { z } from 'zod'
import { defineAction } from '@/core/action'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { signedIn } from '@/core/auth/policy'
import { transactionAs } from '@/core/auth/transaction-as'
import { defineLimit } from '@/core/limits/limit'

const perUser = defineLimit('orders', { points: 10, seconds: 60 })

export const placeOrder = defineAction({
  input: z.object({ article: z.string().max(100) }),
  allow: signedIn,
  run: async ({ input, actor }) => {
    await perUser.consume(actor.id)
    await transactionAs(actor, signedIn, (tx) =>
      recordAuditEvent(tx, 'order.placed', { actorId: actor.id, details: { article: input.article } }),
    )
    return null
  },
})
`,
      'src/app/(orders)/orders/page.tsx': `import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { ActionForm, Field, SubmitButton } from '@/core/ui/form'
import { placeOrder } from '../actions'

export default async function OrdersPage() {
  await requirePermission(signedIn, '/orders')
  return (
    <ActionForm action={placeOrder}>
      <Field label="Article" name="article" />
      <SubmitButton>Order</SubmitButton>
    </ActionForm>
  )
}
`,
    },
  },
  {
    title: 'a client component with a dialog',
    files: {
      'src/app/gallery/large-picture.tsx': `'use client'

import { useRef } from 'react'
import { Button } from '@/core/ui/button'

export function LargePicture({ text }: { text: string }) {
  const dialog = useRef<HTMLDialogElement>(null)
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>Show</Button>
      <dialog ref={dialog}>
        <p>{text}</p>
        <form method="dialog">
          <Button type="submit">Close</Button>
        </form>
      </dialog>
    </>
  )
}
`,
      'src/app/gallery/page.tsx': `import { LargePicture } from './large-picture'

export default function GalleryPage() {
  return <LargePicture text="A large picture" />
}
`,
    },
  },
  {
    title: 'an extra dependency that is used',
    files: {
      'package.json': manifest(({ dependencies }) => {
        dependencies.picocolors = '1.1.1'
      }),
      'src/app/colors/page.tsx': `import colors from 'picocolors'

export default function ColorsPage() {
  return <p>{colors.isColorSupported ? 'Colors' : 'No colors'}</p>
}
`,
    },
  },
  {
    title: 'a script of their own',
    files: {
      'package.json': manifest(({ scripts }) => {
        scripts.report = 'node scripts/report.ts'
      }),
      'scripts/report.ts': `console.log('Nothing to report.')\n`,
    },
  },
  {
    title: 'other colors and a class of their own',
    files: {
      'src/app/globals.css': (before) => `${before}\n.fruit {\n  color: #b00020;\n}\n`,
      'src/app/fruit/page.tsx': `export default function FruitPage() {\n  return <p className="fruit">Apples</p>\n}\n`,
    },
  },
  {
    title: 'the module of docs/modules.md, with a table, an action, a page and an endpoint',
    files: {},
    prepare: writeNotes,
  },
  { title: 'the recipe "Add a field to users"', files: {}, prepare: addField },
  { title: 'the recipe "Add a sign-in provider"', files: {}, prepare: addProvider },
  { title: 'the recipe "Add a role"', files: {}, prepare: addRole },
  {
    title: 'a function with a unit test of its own',
    files: {
      'src/app/prices/format-price.ts': `export const formatPrice = (cents: number) => \`CHF \${(cents / 100).toFixed(2)}\`\n`,
      'src/app/prices/format-price.test.ts': `import { expect, test } from 'vitest'
import { formatPrice } from './format-price'

test('a price has two decimals', () => {
  expect(formatPrice(150)).toBe('CHF 1.50')
})
`,
      'src/app/prices/page.tsx': `import { formatPrice } from './format-price'

export default function PricesPage() {
  return <p>{formatPrice(150)}</p>
}
`,
    },
  },
  {
    title: 'loading and error pages',
    files: {
      'src/app/slow/page.tsx': `export default function SlowPage() {\n  return <p>Done</p>\n}\n`,
      'src/app/slow/loading.tsx': `export default function Loading() {\n  return <p>Loading…</p>\n}\n`,
      'src/app/slow/error.tsx': `'use client'\n\nexport default function SlowError({ reset }: { reset: () => void }) {\n  return (\n    <button type="button" onClick={reset}>\n      Try again\n    </button>\n  )\n}\n`,
    },
  },
  {
    title: 'documents rewritten or emptied',
    files: {
      'docs/backup.md': '# Backup\n\nWe use a managed database.\n',
      'README.md': '# Fruit\n\nFruit from the valley.\n',
    },
  },
]
