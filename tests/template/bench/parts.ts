// npm run bench -- parts: what runs for every request, and what each part costs: the time of the same work with it and without it.
// Needs no server and no database. The last two are of the build in .next, because Next compiles them again for every request.
import { existsSync, readFileSync } from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { importSource } from '../../../scripts/import-source.ts'
import { root } from '../../../scripts/root.ts'
import { median } from './decide.ts'

const calls = process.env.BENCH_QUICK ? 1_000 : 100_000
const rounds = 10

/** Microseconds of processor time per call. */
async function timeOf(work: () => unknown): Promise<number> {
  const start = process.cpuUsage()
  for (let call = 0; call < calls / rounds; call++) {
    const result = work()
    if (result instanceof Promise) await result
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / (calls / rounds)
}

/** The median of what the rounds say, in turns with and without it. The first round is not counted. */
async function costOf(withIt: () => unknown, withoutIt: () => unknown): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round <= rounds; round++) costs.push((await timeOf(withIt)) - (await timeOf(withoutIt)))
  return median(costs.slice(1))
}

type Listener = (event: { request: IncomingMessage; response: ServerResponse; server: object }) => void

const sentHeaders = {
  host: 'app.example.com',
  connection: 'keep-alive',
  accept: '*/*',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en-US,en;q=0.9',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
  'x-forwarded-for': '192.0.2.1',
}

/** A request that has arrived, and the beginning of its response, as Node makes them. */
function receive(listeners: Listener[]): void {
  const socket = new Socket()
  const request = new IncomingMessage(socket)
  request.method = 'GET'
  request.url = '/api/auth/session'
  request.complete = true
  Object.assign(request.headers, sentHeaders)
  const response = new ServerResponse(request)
  for (const listener of listeners) listener({ request, response, server: {} })
  response.setHeader('Content-Type', 'application/json')
  response.writeHead(200)
}

/** The only row that the database of this bench has. */
const row = [
  '4b7c',
  '9d1e',
  'ada@example.com',
  'Ada',
  'viewer',
  null,
  null,
  null,
  null,
  '2030-01-01 00:00:00+00',
  true,
  false,
  null,
]

/** Regular expressions and rewrites that Next compiles for every request, from the build. */
function findCompiled(): [string, () => unknown][] {
  const read = (file: string) => JSON.parse(readFileSync(join(root, '.next', file), 'utf8'))
  if (!existsSync(join(root, '.next', 'BUILD_ID'))) return []
  const { matchers } = read('server/functions-config-manifest.json').functions['/_middleware']
  const { rewrites } = read('routes-manifest.json')
  const { getServerUtils } = createRequire(import.meta.url)('next/dist/server/server-utils')
  const utils = getServerUtils({ page: '/api/health', basePath: '', rewrites, pageIsDynamic: false })
  return [
    [
      'in Next: patterns of the proxy',
      () => matchers.map(({ regexp }: { regexp: string }) => new RegExp(regexp).exec('/api/health')),
    ],
    ['in Next: rewrites', () => utils.handleRewrites({ headers: {} }, { pathname: '/api/health', query: {} })],
  ]
}

export async function measureParts(): Promise<void> {
  Object.assign(process.env, {
    NODE_ENV: 'production',
    LOG_LEVEL: 'silent',
    AUTH_URL: 'https://app.example.com',
    AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    DATABASE_URL: 'postgres://127.0.0.1:9/none',
  })
  const shared = globalThis as unknown as { plinthPool: object; plinthRequestListeners: Listener[] }
  shared.plinthPool = { query: async () => ({ rows: [row] }) }
  const [harden, keepAlive, bodies, request, respond, tokens, sessions, actor, health] = await importSource(
    'src/core/http/harden.ts',
    'src/core/http/keep-alive.ts',
    'src/core/http/limit-bodies.ts',
    'src/core/http/request.ts',
    'src/core/http/respond.ts',
    'src/core/auth/tokens/token.ts',
    'src/core/auth/session/sessions.ts',
    'src/core/auth/session/actor.ts',
    'src/app/api/health/route.ts',
  )
  harden.hardenHttp()
  keepAlive.setKeepAlive()
  bodies.limitBodies()
  const hooks = shared.plinthRequestListeners
  const token = tokens.newToken()
  const headers = new Headers({ ...sentHeaders, cookie: `a=1; __Host-plinth.session=${token}` })
  const asked = new Request('https://app.example.com/api/health', { headers })
  const context = { id: 'an-id', headers }
  const nothing = () => undefined

  const parts: [name: string, withIt: () => unknown, withoutIt?: () => unknown][] = [
    ['server hooks: harden', () => receive(hooks.slice(0, 1)), () => receive([])],
    ['server hooks: keep-alive', () => receive(hooks.slice(1, 2)), () => receive([])],
    ['server hooks: limit bodies', () => receive(hooks.slice(2, 3)), () => receive([])],
    ['request id', () => request.requestIdFrom(headers)],
    ['context of the request', () => request.withRequest(context, nothing), nothing],
    [
      'tokens of the request',
      () => request.withRequest(context, actor.readTokens),
      () => request.withRequest(context, async () => {}),
    ],
    ['hash of the token', () => tokens.isToken(token) && tokens.hashToken(token)],
    ['session, without the time of the database', () => sessions.findSession(token), async () => ({ rows: [row] })],
    [
      'response with its headers, to Response.json',
      () => respond.toResponse({ status: 'ok' }),
      () => Response.json({ status: 'ok' }),
    ],
    [
      'whole handler of /api/health, to Response.json',
      () => health.GET(asked, {}),
      async () => Response.json({ status: 'ok' }),
    ],
    ...findCompiled(),
  ]
  console.log(`| runs for every request | us, of ${calls} calls |\n|---|---|`)
  for (const [name, withIt, withoutIt = nothing] of parts)
    console.log(`| ${name} | ${(await costOf(withIt, withoutIt)).toFixed(2)} |`)
}
