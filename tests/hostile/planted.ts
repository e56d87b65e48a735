// npm run test:planted [-- --one-by-one] [fault …]: does the hostile suite find what it is there for? Plants faults into a copy
// of the project, builds it, and runs the checks that must now fail, each with words that name its fault. Faults that do
// not hide one another share a build, which saves minutes; --one-by-one gives each its own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeWorkCopy, runScript } from '../support/copy.ts'

interface Fault {
  name: string
  what: string
  /** Files to change, or to write whole. */
  plant: Record<string, string | ((before: string) => string)>
  /** The check that must fail. */
  fails: string
  /** What it must say. */
  says: RegExp
  /** Which of the builds it is part of: a fault that would make others' checks fail has one of its own. */
  build: number
}

const replace = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to)

const faults: Fault[] = [
  {
    name: 'guard',
    what: 'an action that deletes people lets in whoever is signed in',
    plant: {
      'src/app/(admin)/actions.ts': (text) =>
        text
          .replace("allow: can('users.delete'),", 'allow: signedIn,')
          .replace("import { z } from 'zod'", "import { z } from 'zod'\nimport { signedIn } from '@/core/auth/policy'"),
    },
    fails: 'H-176',
    says: /deleteUser/,
    build: 1,
  },
  {
    name: 'origin',
    what: 'every origin is answered as if it were listed',
    plant: {
      'src/core/cors.ts': (text) =>
        text
          .replace('return origin !== null && env.CORS_ORIGINS.includes(origin)', 'return origin !== null')
          .replace('  if (env.CORS_ORIGINS.length === 0) return {}\n', ''),
    },
    fails: 'H-123',
    says: /allow-origin|evil|cross_site|403/i,
    build: 1,
  },
  {
    name: 'token',
    what: 'tokens of sessions are stored as they are',
    plant: { 'src/core/auth/token.ts': replace("hash('sha256', token, 'buffer')", 'Buffer.from(token)') },
    fails: 'H-087',
    says: /hash|token|32/i,
    build: 2,
  },
  {
    name: 'hash',
    what: 'the list of people shows their hashes',
    plant: {
      'src/app/(admin)/api/demo/admin/users/route.ts': (text) =>
        text
          .replace(
            "import { z } from 'zod'",
            "import { z } from 'zod'\nimport { db } from '@/core/db/client'\nimport { passwords } from '@/core/db/schema'",
          )
          .replace(
            'return { users, nextCursor }',
            'const hashes = await db.select({ hash: passwords.hash }).from(passwords).limit(1)\n      return { users: users.map((user) => ({ ...user, ...hashes[0] })), nextCursor }',
          ),
    },
    fails: 'H-215',
    says: /hash/,
    build: 1,
  },
  {
    name: 'role',
    what: 'whoever changes their name may send a role along',
    plant: {
      'src/app/(account)/actions.ts': (text) =>
        text
          .replace(
            'input: z.object({ name: z.string() }),',
            'input: z.object({ name: z.string(), role: z.enum(roles).optional() }),',
          )
          .replace(
            'run: async ({ input, actor }) => ({ name: await renamePerson(actor.id, input.name) }),',
            'run: async ({ input, actor }) => {\n    if (input.role) await db.update(users).set({ role: input.role }).where(eq(users.id, actor.id))\n    return { name: await renamePerson(actor.id, input.name) }\n  },',
          )
          .replace(
            "import { z } from 'zod'",
            "import { eq } from 'drizzle-orm'\nimport { z } from 'zod'\nimport { db } from '@/core/db/client'\nimport { users } from '@/core/db/schema'",
          ),
    },
    fails: 'H-199',
    says: /admin/,
    build: 1,
  },
  {
    name: 'redirect',
    what: 'after sign-in people are led wherever a link says',
    plant: {
      'src/core/auth/return-path.ts': replace(
        "if (typeof value !== 'string' || value.length > 2048) return fallback",
        "if (typeof value === 'string') return value\n  if (typeof value !== 'string') return fallback",
      ),
    },
    fails: 'H-165',
    says: /evil/,
    build: 1,
  },
  {
    name: 'expiry',
    what: 'sessions do not end by themselves',
    plant: {
      'src/core/auth/sessions.ts': replace(/, sql`\$\{expiresAt\} > now\(\)`\)\)\n {2}\.prepare/, '))\n  .prepare'),
    },
    fails: 'H-099',
    says: /null|session/,
    build: 1,
  },
  {
    name: 'last-admin',
    what: 'admins who leave at once are not kept from doing so, neither by the app nor by the database',
    plant: {
      'src/core/auth/admins.ts': replace(
        "  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('admins'))`)\n",
        '',
      ),
      'src/core/db/_migrations/0005_admins.sql': replace("\tPERFORM pg_advisory_xact_lock(hashtext('admins'));\n", ''),
    },
    fails: 'H-238',
    says: /admin|0/,
    build: 1,
  },
  {
    name: 'body',
    what: 'a body is read to its end, however long it is',
    plant: {
      'src/core/request.ts': (text) =>
        text
          .replace("  if (Number(request.headers.get('content-length')) > limit) throw new AppError('too_large')\n", '')
          .replace(
            "if (size > limit) throw new AppError('too_large')",
            "if (size < 0) throw new AppError(limit ? 'too_large' : 'internal')",
          ),
    },
    fails: 'H-013',
    says: /413/,
    build: 1,
  },
  {
    name: 'cookie',
    what: 'the session’s cookie may come from a subdomain',
    plant: {
      'src/core/auth/settings.ts': replace("isSecure() ? '__Host-' : ''", "''"),
    },
    fails: 'H-085',
    says: /__host/i,
    build: 1,
  },
  {
    name: 'module',
    what: 'a module of one’s own has an action that breaks, a handler that breaks and a page that shows what it is sent as HTML',
    plant: {
      'src/app/(guests)/module.ts': `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'guests', title: 'Guests' })\n`,
      'src/app/(guests)/module.json': `{ "name": "guests", "title": "Guests", "description": "x", "requires": [], "npm": [], "env": [], "tables": [] }\n`,
      'src/app/(guests)/README.md': '# Guests\n',
      'src/app/(guests)/actions.ts': `'use server'\n\nimport { z } from 'zod'\nimport { defineAction } from '@/core/action'\nimport { signedIn } from '@/core/auth/policy'\nimport { entries } from './entries'\n\nexport const signBook = defineAction({\n  allow: signedIn,\n  input: z.object({ text: z.string() }),\n  run: async ({ input }) => {\n    if (input.text.includes('1=1')) throw new Error('no')\n    entries.push(input.text)\n    return {}\n  },\n})\n`,
      'src/app/(guests)/entries.ts': `export const entries: string[] = []\n`,
      'src/app/(guests)/guests/page.tsx': `import { connection } from 'next/server'\nimport { ActionForm } from '@/core/ui/form'\nimport { signBook } from '../actions'\nimport { entries } from '../entries'\n\nexport default async function Page() {\n  await connection()\n  return (\n    <main>\n      <div dangerouslySetInnerHTML={{ __html: entries.join('') }} />\n      <ActionForm action={signBook}>\n        <input name="text" />\n      </ActionForm>\n    </main>\n  )\n}\n`,
      'src/app/(guests)/api/guests/route.ts': `import { z } from 'zod'\nimport { definePublicHandler, defineRoute } from '@/core/handler'\n\nexport const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({\n  GET: definePublicHandler({\n    summary: 'Count guests',\n    query: z.object({ limit: z.string().optional() }),\n    answers: { 200: z.object({ most: z.string() }) },\n    run: ({ query }) => ({ most: BigInt(query.limit ?? '1').toString() }),\n  }),\n})\n`,
    },
    fails: 'H-321',
    says: /(?=[\s\S]*signBook)(?=[\s\S]*\/api\/guests)(?=[\s\S]*\/guests shows markup)/,
    build: 3,
  },
]

const options = process.argv.slice(2)
const isOneByOne = options.includes('--one-by-one')
const asked = options.filter((option) => !option.startsWith('--'))
const wanted = faults.filter(({ name }) => asked.length === 0 || asked.includes(name))
const builds = isOneByOne ? wanted.map((fault) => [fault]) : [...Map.groupBy(wanted, ({ build }) => build).values()]

function plant(folder: string, { plant: files, name }: Fault): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'string') writeFileSync(path, content)
    else {
      const before = readFileSync(path, 'utf8')
      const after = content(before)
      if (after === before) throw new Error(`${file} is not as the fault "${name}" expects it`)
      writeFileSync(path, after)
    }
  }
}

/** What the suite said of this check when it failed; undefined when it did not. */
const failureOf = (number: string, output: string) =>
  new RegExp(`^ {2}FAIL ${number} [\\s\\S]*?(?=^ {2}(?:ok|FAIL|skip)|^\\S|^$\\n^[A-Z])`, 'm').exec(output)?.[0]

let failures = 0
for (const planted of builds) {
  const { folder, remove } = makeWorkCopy()
  try {
    for (const fault of planted) plant(folder, fault)
    rmSync(join(folder, '.next'), { recursive: true, force: true })
    const build = runScript(folder, 'build')
    if (!build.isOk)
      throw new Error(`The copy with ${planted.map(({ name }) => name)} does not build:\n${build.output.slice(-3000)}`)
    const numbers = planted.map(({ fails }) => fails)
    const { stdout, stderr, status } = spawnSync(process.execPath, ['tests/hostile/run.ts', ...numbers], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    for (const { name, what, fails, says } of planted) {
      const failure = failureOf(fails, stdout)
      const isFound = status !== 0 && failure !== undefined && says.test(failure)
      console.log(
        `${isFound ? 'found ' : 'MISSED'}  ${name}: ${what}\n        ${(failure ?? (stdout + stderr).slice(-1500))
          .trim()
          .replaceAll('\n', '\n        ')
          .slice(0, isFound ? 400 : 4000)}`,
      )
      if (!isFound) failures++
    }
  } finally {
    remove()
  }
}
console.log(`${wanted.length - failures} of ${wanted.length} planted faults found`)
process.exit(failures > 0 ? 1 : 0)
