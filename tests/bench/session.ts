// npm run bench: how much GET /api/auth/session costs over a bare Next handler with one prepared SELECT, and health over
// a handler with none. Both apps run the same build settings on the same database. Two figures: requests a second, in
// short slices that take turns, and the processor time that a server spends on one request, which a busy machine disturbs
// far less. Each side is started anew in every round; a second bare app shows how far two equal ones are apart.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { startApp } from '../support/app.ts'
import { bringPackages } from '../support/copy.ts'
import { type RunningServer, startServer } from '../support/server.ts'

const rounds = Number(process.argv.find((argument) => argument.startsWith('--rounds='))?.split('=')[1] ?? 3)
const slices = 10
const slice = 1
const warmUp = 3
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

/** Processor seconds that a process has used so far; from Linux, in hundredths. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

interface Figures {
  /** Requests a second. */
  rate: number
  /** Microseconds of the server's processor time for one request. */
  cost: number
}

/** Asks over a few connections that stay open. Any answer but 200 ends the run. */
async function load(
  server: RunningServer,
  path: string,
  headers: Record<string, string>,
  time: number,
): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const before = cpuOf(server.pid)
  const start = performance.now()
  const end = start + time * 1000
  let count = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(server.url + path, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
        response.resume()
        response.on('end', resolve)
      }).on('error', reject)
    })
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await one()
        count++
      }
    }),
  )
  agent.destroy()
  const took = (performance.now() - start) / 1000
  return { rate: count / took, cost: ((cpuOf(server.pid) - before) / count) * 1e6 }
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const round3 = (value: number) => value.toFixed(3)

const folder = buildBare()
const { app, env: ownEnv, stop } = await startApp()
await app.stop()
// The worker's own time is not the request's.
const env = { ...ownEnv, WORKER: 'apart' }
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

/** One entry for each pair of slices: ours against the bare app, and the bare app against its twin. */
const results = new Map(
  cases.map(({ name }) => [
    name,
    { rate: [] as number[], cost: [] as number[], spread: [] as number[], costs: [] as Figures[][] },
  ]),
)
const bareHeaders = { 'x-hash': hash.toString('hex') }
try {
  for (let round = 1; round <= rounds; round++) {
    const [ours, bare, twin] = await Promise.all([
      startServer('start', env),
      startServer('start', env, { folder }),
      startServer('start', env, { folder }),
    ])
    // Whoever is measured first is measured on a colder process: take turns.
    const turn = cases.map((_, index) => cases[(index + round) % cases.length] ?? cases[0])
    for (const { name, path, headers, bare: barePath } of turn) {
      const measure = (time: number) => [
        () => load(bare, barePath, bareHeaders, time),
        () => load(ours, path, headers, time),
        () => load(twin, barePath, bareHeaders, time),
      ]
      for (const work of measure(warmUp)) await work()
      const result = results.get(name)
      for (let turns = 0; turns < slices; turns++) {
        const figures: Figures[] = []
        for (const work of measure(slice)) figures.push(await work())
        const [first, own, second] = figures as [Figures, Figures, Figures]
        result?.rate.push(own.rate / ((first.rate + second.rate) / 2))
        result?.cost.push((first.cost + second.cost) / 2 / own.cost)
        result?.spread.push(second.cost / first.cost)
        result?.costs.push([first, own])
      }
    }
    await Promise.all([ours.stop(), bare.stop(), twin.stop()])
    console.log(`round ${round} of ${rounds}`)
  }
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const [name, { rate, cost, spread, costs }] of results) {
  const micro = (which: number) => median(costs.map((pair) => pair[which]?.cost ?? 0)).toFixed(0)
  const sorted = spread.toSorted((a, b) => a - b)
  const at = (share: number) => round3(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  console.log(
    `${name}: ${round3(median(rate))} of the bare handler's requests a second, ${round3(median(cost))} by processor time ` +
      `(${micro(1)} against ${micro(0)} microseconds; bare against bare ${at(0.1)} to ${at(0.9)})`,
  )
}
