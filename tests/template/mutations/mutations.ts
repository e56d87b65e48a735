import type { Bug } from '../support/insert-bug.ts'

export interface Mutation extends Bug {
  /** The check that must fail. */
  failingCheck: string
  /** What its failure message must match. */
  expected: RegExp
  /** Which build it belongs to: a mutation that makes the checks of others fail gets its own build. */
  build: number
}

/** Bugs that the security suite must find. */
export const mutations: Mutation[] = [
  {
    name: 'guard',
    description: 'any signed-in user may call the action that deletes users',
    changes: {
      'src/app/(admin)/actions.ts': [
        ["allow: can('users.delete'),", 'allow: signedIn,'],
        ["import { z } from 'zod'", "import { z } from 'zod'\nimport { signedIn } from '@/core/auth/policy'"],
      ],
    },
    failingCheck: 'H-176',
    expected: /deleteUser/,
    build: 1,
  },
  {
    name: 'origin',
    description: 'every origin is treated as listed in CORS_ORIGINS',
    changes: {
      'src/core/http/cors.ts': [
        ['return origin !== null && env.CORS_ORIGINS.includes(origin)', 'return origin !== null'],
        ['  if (env.CORS_ORIGINS.length === 0) return {}\n', ''],
      ],
    },
    failingCheck: 'H-123',
    expected: /allow-origin|evil|cross_site|403/i,
    build: 1,
  },
  {
    name: 'token',
    description: 'session tokens are stored unhashed',
    changes: { 'src/core/auth/tokens/token.ts': [["hash('sha256', token, 'buffer')", 'Buffer.from(token)']] },
    failingCheck: 'H-087',
    expected: /hash|token|32/i,
    build: 2,
  },
  {
    name: 'hash',
    description: 'the user list returns password hashes',
    changes: {
      'src/app/(admin)/api/demo/admin/users/route.ts': [
        [
          "import { z } from 'zod'",
          "import { z } from 'zod'\nimport { db } from '@/core/db/client'\nimport { passwords } from '@/core/db/schema'",
        ],
        [
          'return { users, nextCursor }',
          'const hashes = await db.select({ hash: passwords.hash }).from(passwords).limit(1)\n      return { users: users.map((user) => ({ ...user, ...hashes[0] })), nextCursor }',
        ],
      ],
    },
    failingCheck: 'H-215',
    expected: /hash/,
    build: 1,
  },
  {
    name: 'role',
    description: 'updateProfile accepts a role',
    changes: {
      'src/app/(account)/actions.ts': [
        [
          "input: z.object({ name: z.string(), ...userFieldInputs('profile') }),",
          'input: z.object({ name: z.string(), role: z.enum(roles).optional() }),',
        ],
        [
          'const name = await renameUser(actor.id, input.name, input)',
          'if (input.role) await db.update(users).set({ role: input.role }).where(eq(users.id, actor.id))\n    const name = await renameUser(actor.id, input.name, input)',
        ],
        [
          "import { z } from 'zod'",
          "import { eq } from 'drizzle-orm'\nimport { z } from 'zod'\nimport { db } from '@/core/db/client'\nimport { users } from '@/core/db/schema'",
        ],
      ],
    },
    failingCheck: 'H-199',
    expected: /admin/,
    build: 1,
  },
  {
    name: 'redirect',
    description: 'sign-in redirects to any URL in callbackUrl',
    changes: {
      'src/core/auth/flows/return-path.ts': [
        [
          "if (typeof value !== 'string' || value.length > 2048) return fallback",
          "if (typeof value === 'string') return value\n  if (typeof value !== 'string') return fallback",
        ],
      ],
    },
    failingCheck: 'H-165',
    expected: /evil/,
    build: 1,
  },
  {
    name: 'expiry',
    description: 'sessions never expire',
    changes: {
      'src/core/auth/session/sessions.ts': [
        [/ {8}sql`\$\{expiresAt\} > now\(\)`,\n( {6}\),\n {4}\)\n\nconst findByHash)/, '$1'],
      ],
    },
    failingCheck: 'H-099',
    expected: /null|session/,
    build: 1,
  },
  {
    name: 'last-admin',
    description: 'two last admins can delete themselves at once: no lock in the app or in the database',
    changes: {
      'src/core/auth/user/admins.ts': [
        ["tx.execute(sql`select pg_advisory_xact_lock(hashtext('admins'))`)", 'tx.execute(sql`select 1`)'],
      ],
      'src/core/db/_migrations/0005_admins.sql': [["\tPERFORM pg_advisory_xact_lock(hashtext('admins'));\n", '']],
    },
    failingCheck: 'H-240',
    expected: /last_admin|signed-out/,
    build: 1,
  },
  {
    name: 'actor',
    description: 'transactions trust the role read at the start of the request',
    changes: {
      'src/core/auth/transaction-as.ts': [
        ['const role = lowerRole(ownRole, actor.role)', 'const role = ownRole && actor.role'],
      ],
    },
    failingCheck: 'H-365',
    expected: /forbidden/,
    build: 1,
  },
  {
    name: 'ended-session',
    description: 'a request goes on after its session has ended',
    changes: {
      'src/core/auth/transaction-as.ts': [
        ['!session || lockSession(tx, session.id),', '!session || lockSession !== undefined,'],
      ],
    },
    failingCheck: 'H-402',
    expected: /ended/,
    build: 1,
  },
  {
    name: 'removed-credential',
    description: 'a sign-in goes on with a credential that was removed meanwhile',
    changes: {
      'src/core/auth/session/start-session.ts': [
        ['credential = sql`true`, isPassword', 'isPassword'],
        ['  const event = {', '  const credential = sql`true`\n  const event = {'],
      ],
    },
    failingCheck: 'H-403',
    expected: /Secure my account/,
    build: 1,
  },
  {
    name: 'body',
    description: 'request bodies have no size limit',
    changes: {
      'src/core/http/request.ts': [
        ["  if (Number(request.headers.get('content-length')) > limit) throw new AppError('too_large')\n", ''],
        [
          "if (size > limit) throw new AppError('too_large')",
          "if (size < 0) throw new AppError(limit ? 'too_large' : 'internal')",
        ],
      ],
    },
    failingCheck: 'H-013',
    expected: /413/,
    build: 1,
  },
  {
    name: 'cookie',
    description: 'the session cookie has no __Host- prefix',
    changes: {
      'src/core/auth/session/settings.ts': [["isSecure() ? '__Host-' : ''", "''"]],
    },
    failingCheck: 'H-085',
    expected: /__host/i,
    build: 1,
  },
  {
    name: 'reauthentication',
    description: 'a password change reauthenticates the session without the second factor',
    changes: {
      'src/core/auth/flows/change-password.ts': [
        [
          'const isReauthenticated = (await findSecondFactor(userId)) === null',
          'const isReauthenticated = (await findSecondFactor(userId)) !== undefined',
        ],
      ],
    },
    failingCheck: 'H-342',
    expected: /without the second factor/,
    build: 1,
  },
  {
    name: 'inline-code',
    description: 'a form reauthenticates users with a second factor by their password alone',
    changes: {
      'src/core/auth/flows/reauthenticate.ts': [
        ['secondFactor?.verifyCode?.(String(code))', 'Promise.resolve()'],
        ['secondFactor !== null && !isFilled(code)', 'secondFactor === null && !isFilled(code) && isFilled(code)'],
      ],
    },
    failingCheck: 'H-404',
    expected: /without the second factor/,
    build: 1,
  },
  {
    name: 'device',
    description: 'a trusted device stays trusted after a password change',
    changes: {
      'src/core/auth/session/trusted-device.ts': [["since?.getTime() ?? 'none'", "since ? 'set' : 'none'"]],
    },
    failingCheck: 'H-345',
    expected: /survived a password reset/,
    build: 1,
  },
  {
    name: 'email-link',
    description: 'the link that verifies a new email works without the session that requested it',
    changes: {
      'src/app/(account)/actions.ts': [
        ['verifyNewEmail = defineAction({\n  allow: signedIn,', 'verifyNewEmail = definePublicAction({'],
        [
          'run: ({ input, actor }) => email.verifyEmailChange(actor, input.token)',
          'run: ({ input }) => email.verifyEmailChange(input.token)',
        ],
      ],
      'src/app/(account)/email-change.ts': [
        ['verifyEmailChange(actor: Actor, token: string)', 'verifyEmailChange(token: string)'],
        [/ {4}if \(change && change\.userId !== actor\.id\).*\n/, ''],
        ['transactionAsSelf(actor.id, work, {', 'inTransaction(work, {'],
      ],
    },
    failingCheck: 'H-352',
    expected: /unauthenticated/,
    build: 1,
  },
  {
    name: 'recipient',
    description: 'emails are not limited per recipient',
    changes: {
      'src/core/mail/define-email.ts': [
        ['(await recipientLimit.tryConsume(email))', '((await recipientLimit.tryConsume(email)) || true)'],
      ],
    },
    failingCheck: 'H-357',
    expected: /emails for 20 requests/,
    build: 1,
  },
  {
    name: 'removal',
    description: '“Secure my account” removes the second factor at once',
    changes: {
      'src/app/(account)/two-factor-removal.ts': [['const waitHours = 72', 'const waitHours = 0']],
    },
    failingCheck: 'H-355',
    expected: /hours|was not asked for/,
    build: 1,
  },
  {
    name: 'rights',
    description: 'what users prepared stays when they lose the right to it',
    changes: {
      'src/core/auth/user/rights.ts': [
        ['await module.onRightsChange?.(tx, {', 'void (module.onRightsChange && {'],
        ['  if (userIds.length === 0) return\n  for', '  if (userIds.length === 0 || !tx) return\n  for'],
      ],
    },
    failingCheck: 'H-367',
    expected: /the link still shows the draft/,
    build: 1,
  },
  {
    name: 'unread-action',
    description: 'arguments of an action that cannot be read are a server error',
    changes: {
      'src/core/http/failed-pages.ts': [["method === 'POST' && nonce", "method === 'PUT' && nonce"]],
    },
    failingCheck: 'H-378',
    expected: /500/,
    build: 2,
  },
  {
    name: 'module',
    description:
      'a custom module has an action that throws, a handler that throws, and a page that renders input as HTML',
    changes: {
      'src/app/(guests)/module.ts': `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'guests', title: 'Guests' })\n`,
      'src/app/(guests)/module.json': `{ "name": "guests", "title": "Guests", "description": "x", "requires": [], "npm": [], "env": [], "tables": [] }\n`,
      'src/app/(guests)/README.md': '# Guests\n',
      'src/app/(guests)/actions.ts': `'use server'\n\nimport { z } from 'zod'\nimport { defineAction } from '@/core/action'\nimport { signedIn } from '@/core/auth/policy'\nimport { entries } from './entries'\n\nexport const signBook = defineAction({\n  allow: signedIn,\n  input: z.object({ text: z.string() }),\n  run: async ({ input }) => {\n    if (input.text.includes('1=1')) throw new Error('no')\n    entries.push(input.text)\n    return {}\n  },\n})\n`,
      'src/app/(guests)/entries.ts': `export const entries: string[] = []\n`,
      'src/app/(guests)/guests/page.tsx': `import { connection } from 'next/server'\nimport { ActionForm } from '@/core/ui/form'\nimport { signBook } from '../actions'\nimport { entries } from '../entries'\n\nexport default async function Page() {\n  await connection()\n  return (\n    <main>\n      <div dangerouslySetInnerHTML={{ __html: entries.join('') }} />\n      <ActionForm action={signBook}>\n        <input name="text" />\n      </ActionForm>\n    </main>\n  )\n}\n`,
      'src/app/(guests)/api/guests/route.ts': `import { z } from 'zod'\nimport { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  GET: definePublicHandler({\n    summary: 'Count guests',\n    query: z.object({ limit: z.string().optional() }),\n    responses: { 200: z.object({ most: z.string() }) },\n    run: ({ query }) => ({ most: BigInt(query.limit ?? '1').toString() }),\n  }),\n})\n`,
    },
    failingCheck: 'H-321',
    expected: /(?=[\s\S]*signBook)(?=[\s\S]*\/api\/guests)(?=[\s\S]*\/guests shows markup)/,
    build: 3,
  },
]
