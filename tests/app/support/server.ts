import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { appSlug } from '../../../src/brand.ts'

export interface RunningServer {
  url: string
  pid: number
  output: () => string
  stop: () => Promise<void>
  /** Sends SIGKILL, like a crash. */
  kill: () => Promise<void>
  signal: (signal: NodeJS.Signals) => void
  /** Resolves when the process exits, with its exit code, or null if a signal ended it. */
  exited: Promise<number | null>
  isAlive: () => boolean
}

const testEnv = () => ({
  // Off by default: what organizations have would not be tested.
  CONTENT_PER_ORGANIZATION: 'on',
  // A slow moment of this machine must not fail a test. Tests of timeouts and outages set it to 1.
  TIMEOUT_FACTOR: process.env.TIMEOUT_FACTOR ?? '10',
})

const waitForExit = (child: ChildProcess) =>
  new Promise<number | null>((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(child.exitCode),
  )

/** Sends the signal, and SIGKILL after 10 seconds: draining may take longer than a test can wait. */
async function stopWithSignal(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await waitForExit(child)
  clearTimeout(timer)
}

/** Collects stdout and stderr of a process; the returned function returns the output so far. */
function captureOutput(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  return () => output
}

/** Runs `next dev` or `next start`, and waits until /api/health responds. */
export async function startServer(
  mode: 'dev' | 'start',
  env: Record<string, string>,
  {
    folder = root,
    port,
    commandPrefix = [],
    pollMs = 100,
  }: {
    folder?: string
    port?: number
    /** Command that runs it. */
    commandPrefix?: string[]
    /** How often it is asked whether it is up. */
    pollMs?: number
  } = {},
): Promise<RunningServer> {
  port ??= await findFreePort()
  const url = `http://localhost:${port}`
  const next = join(folder, 'node_modules/next/dist/bin/next')
  const [command = '', ...args] = [...commandPrefix, process.execPath, next, mode]
  const child = spawn(command, [...args, '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: mode === 'dev' ? 'development' : 'production',
      AUTH_URL: url,
      // No SMTP server listens there, so this node runs no worker. A test that needs emails sets its own SMTP_URL.
      WORKER: 'apart',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: `${appSlug}@example.com`,
      NEXT_TELEMETRY_DISABLED: '1',
      // There is no load balancer that has to notice the shutdown first.
      DRAIN_MS: '0',
      ...testEnv(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = captureOutput(child)
  const end = (signal: NodeJS.Signals) => stopWithSignal(child, signal)
  const stop = () => end('SIGTERM')
  // The development server compiles before it responds.
  const deadline = Date.now() + (mode === 'dev' ? 300_000 : 180_000)
  while (Date.now() < deadline && child.exitCode === null) {
    const isUp = await fetch(`${url}/api/health`, {
      signal: AbortSignal.timeout(mode === 'dev' ? 120_000 : 20_000),
    }).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp)
      return {
        url,
        pid: child.pid ?? 0,
        output,
        stop,
        kill: () => end('SIGKILL'),
        signal: (signal) => void child.kill(signal),
        exited: waitForExit(child),
        isAlive: () => child.exitCode === null && child.signalCode === null,
      }
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  await stop()
  if (output().includes('Another next dev server'))
    throw new Error('Stop "npm run dev" first: the e2e tests start their own development server.')
  throw new Error(`The server did not start:\n${output()}`)
}

type WorkerProcess = Pick<RunningServer, 'pid' | 'output' | 'stop' | 'kill' | 'exited'>

/** Runs `npm run worker`. */
export function spawnWorker(env: Record<string, string>): WorkerProcess {
  const child = spawn(process.execPath, [join(root, 'scripts', 'worker.ts')], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...testEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const end = (signal: NodeJS.Signals) => stopWithSignal(child, signal)
  return {
    pid: child.pid ?? 0,
    output: captureOutput(child),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    exited: waitForExit(child),
  }
}

/** Runs `npm run worker`, and waits until it has started. */
export async function startWorkerProcess(env: Record<string, string>): Promise<WorkerProcess> {
  const worker = spawnWorker(env)
  const { output } = worker
  let hasExited = false
  void worker.exited.then(() => {
    hasExited = true
  })
  const deadline = Date.now() + 120_000
  while (!output().includes('worker started')) {
    if (Date.now() > deadline || hasExited) {
      await worker.kill()
      throw new Error(`The worker did not start:\n${output()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return worker
}

/** Runs a server that is expected not to start, and returns its exit code and output. */
export async function runUntilExit(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string; hasResponded: boolean }> {
  const port = await findFreePort()
  // An empty value in `env` prevents .env from setting the variable.
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/next/dist/bin/next'), 'start', '--port', String(port)],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output = captureOutput(child)
  let hasResponded = false
  const probe = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      () => {
        hasResponded = true
      },
      () => {},
    )
  }, 50)
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
  const code = await waitForExit(child)
  clearInterval(probe)
  clearTimeout(timer)
  return { code, output: output(), hasResponded }
}
