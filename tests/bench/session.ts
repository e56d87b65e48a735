// npm run bench: how much GET /api/auth/session costs over a bare Next handler with one prepared SELECT, and health over
// a handler with none. Both apps run the same build settings on the same database; loads are interleaved, each side is
// started anew in every round, and the spread of the bare app against itself stands beside every ratio.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { startApp } from '../support/app.ts'
import { bringPackages } from '../support/copy.ts'
import { startServer } from '../support/server.ts'

const rounds = Number(process.argv.find((argument) => argument.startsWith('--rounds='))?.split('=')[1] ?? 5)
const seconds = 3
const connections = 8

const files = {
  'package.json': '{ "name": "bare", "private": true, "type": "module" }',
  'next.config.ts': "export default { poweredByHeader: false, serverExternalPackages: ['pg'] }\n",
  'tsconfig.json':
    '{ "compilerOptions": { "jsx": "react-jsx", "module": "esnext", "moduleResolution": "bundler", "strict": true, "skipLibCheck": true } }',
  'src/app/layout.tsx':
    'export default function Layout({ children }: { children: React.ReactNode }) {\n  return <html lang="en"><body>{children}</body></html>\n}\n',
  'src/app/page.tsx': 'export default function Page() {\n  return <h1>Bare</h1>\n}\n',
  'src/app/api/health/route.ts':
    "export const dynamic = 'force-dynamic'\nexport const GET = () => Response.json({ status: 'ok' })\n",
  'src/app/api/select/route.ts': `import { Pool } from 'pg'
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
export async function GET(request: Request) {
  const hash = Buffer.from(request.headers.get('x-hash') ?? '', 'hex')
  const text = 'select users.id, email, name, role, sessions.created_at from sessions join users on users.id = user_id where token_hash = $1'
  const { rows } = await pool.query({ name: 'bare', text, values: [hash] })
  return Response.json(rows[0])
}
`,
}

function buildBare(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  bringPackages(folder)
  execFileSync(process.execPath, [join(folder, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: folder,
    stdio: 'ignore',
  })
  return folder
}

/** Requests a second over a few connections that stay open. Any answer but 200 ends the run. */
async function load(url: string, headers: Record<string, string>, time = seconds): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const end = Date.now() + time * 1000
  let count = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`))
        response.resume()
        response.on('end', resolve)
      }).on('error', reject)
    })
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (Date.now() < end) {
        await one()
        count++
      }
    }),
  )
  agent.destroy()
  return count / time
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const round3 = (value: number) => value.toFixed(3)

const folder = buildBare()
const { app, env, stop } = await startApp()
await app.stop()
const token = randomBytes(32).toString('base64url')
const hash = createHash('sha256').update(token).digest()
const client = new pg.Client({ connectionString: env.DATABASE_URL })
await client.connect()
await client.query(
  "insert into sessions (user_id, token_hash) select id, $1 from users where email = 'viewer@example.com'",
  [hash],
)
await client.end()

type Case = { name: string; path: string; headers: Record<string, string>; bare: string }
const cases: [Case, ...Case[]] = [
  {
    name: 'session by cookie',
    path: '/api/auth/session',
    headers: { cookie: `plinth.session=${token}` },
    bare: '/api/select',
  },
  {
    name: 'session by Bearer',
    path: '/api/auth/session',
    headers: { authorization: `Bearer ${token}` },
    bare: '/api/select',
  },
  { name: 'health', path: '/api/health', headers: {}, bare: '/api/health' },
]
const ratios = new Map(cases.map(({ name }) => [name, [] as number[]]))
const spreads: number[] = []
try {
  for (let round = 1; round <= rounds; round++) {
    const [ours, bare, twin] = await Promise.all([
      startServer('start', env),
      startServer('start', env, { folder }),
      startServer('start', env, { folder }),
    ])
    // Whoever is measured first is measured on a colder process: take turns.
    const turn = cases.map((_, index) => cases[(index + round) % cases.length] ?? cases[0])
    const bareHeaders = { 'x-hash': hash.toString('hex') }
    for (const { path, headers, bare: barePath } of turn) {
      await load(ours.url + path, headers, 2)
      await load(bare.url + barePath, bareHeaders, 2)
      await load(twin.url + barePath, bareHeaders, 2)
    }
    for (const { name, path, headers, bare: barePath } of turn) {
      const reference = await load(bare.url + barePath, bareHeaders)
      const measured = await load(ours.url + path, headers)
      const again = await load(twin.url + barePath, bareHeaders)
      ratios.get(name)?.push(measured / ((reference + again) / 2))
      spreads.push(again / reference)
    }
    await Promise.all([ours.stop(), bare.stop(), twin.stop()])
    console.log(`round ${round} of ${rounds}`)
  }
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
const sorted = spreads.toSorted((a, b) => a - b)
console.log(`bare against bare: ${round3(sorted[0] ?? 0)} to ${round3(sorted.at(-1) ?? 0)}`)
for (const [name, values] of ratios)
  console.log(`${name}: ${round3(median(values))} of the bare handler (median of ${rounds})`)
