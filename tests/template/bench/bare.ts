// The baseline: a minimal Next app of the same version, with only the code that each case needs.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { linkNodeModules } from '../support/project-copy.ts'

const files = {
  'package.json': '{ "name": "bare", "private": true, "type": "module" }',
  'next.config.ts': "export default { poweredByHeader: false, serverExternalPackages: ['pg', '@node-rs/argon2'] }\n",
  'tsconfig.json':
    '{ "compilerOptions": { "jsx": "react-jsx", "module": "esnext", "moduleResolution": "bundler", "strict": true, "skipLibCheck": true } }',
  'src/app/layout.tsx':
    'export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html lang="en"><body>{children}</body></html>\n}\n',
  'src/app/page.tsx': 'export default function Page() {\n  return <h1>Bare</h1>\n}\n',
  'src/pool.ts':
    "import { Pool } from 'pg'\nexport const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 })\n",
  'src/app/api/health/route.ts':
    "export const dynamic = 'force-dynamic'\nexport const GET = () => Response.json({ status: 'ok' })\n",
  'src/app/api/select/route.ts': `import { pool } from '../../../pool'
export async function GET(request: Request) {
  const hash = Buffer.from(request.headers.get('x-hash') ?? '', 'hex')
  const text = 'select users.id, email, name, role, sessions.created_at from sessions join users on users.id = user_id where token_hash = $1'
  const { rows } = await pool.query({ name: 'bare', text, values: [hash] })
  return Response.json(rows[0])
}
`,
  'src/app/api/signin/route.ts': `import { verify } from '@node-rs/argon2'
import { pool } from '../../../pool'
export async function POST(request: Request) {
  const { email, password } = await request.json()
  const text = 'select users.id, hash from users join passwords on user_id = users.id where lower(email) = $1'
  const { rows } = await pool.query({ name: 'find', text, values: [email] })
  if (!(await verify(rows[0].hash, password))) return new Response(null, { status: 401 })
  const token = crypto.getRandomValues(new Uint8Array(32))
  await pool.query('insert into sessions (user_id, token_hash) values ($1, $2)', [rows[0].id, token])
  await pool.query("insert into audit_events (kind, actor_id) values ('session.started', $1)", [rows[0].id])
  return Response.json({ ok: true })
}
`,
  'src/app/api/auth/[...nextauth]/route.ts': `import NextAuth from 'next-auth'
export const { GET, POST } = NextAuth({ providers: [], trustHost: true }).handlers
`,
}

/** A static page of about that many bytes. The text is in it twice: as HTML and as the RSC payload. */
const heavyPage = (bytes: number) =>
  `export default function Page() {\n  return <p>{'${'word '.repeat(bytes / 10)}'}</p>\n}\n`

/** Builds the baseline with a page as large as our landing page. Returns the folder, which the caller must remove. */
export function buildBare(bytes: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
  for (const [name, content] of Object.entries({ ...files, 'src/app/heavy/page.tsx': heavyPage(bytes) })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  linkNodeModules(folder)
  execFileSync(process.execPath, [join(folder, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return folder
}
