import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'

export interface RunningServer {
  url: string
  pid: number
  output: () => string
  stop: () => Promise<void>
  /** Ends it on the spot, as a crash would. */
  kill: () => Promise<void>
  signal: (signal: NodeJS.Signals) => void
  /** When it ended, with its exit code, or null when a signal ended it. */
  exited: Promise<number | null>
  isAlive: () => boolean
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) =>
    child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(child.exitCode),
  )

/** What is under way may take longer than a test has patience. */
async function endWith(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal)
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  await ended(child)
  clearTimeout(timer)
}

/** All that a process writes, as far as it has come. */
function outputOf(child: ChildProcess): () => string {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text) => {
      output += text
    })
  }
  return () => output
}

/** Runs one of Next's servers on this project, and waits until it answers. */
export async function startServer(
  mode: 'dev' | 'start',
  env: Record<string, string>,
  {
    folder = root,
    port,
    within = [],
  }: { folder?: string; port?: number /** A command that runs it. */; within?: string[] } = {},
): Promise<RunningServer> {
  port ??= await freePort()
  const url = `http://localhost:${port}`
  const next = join(folder, 'node_modules/next/dist/bin/next')
  const [command = '', ...args] = [...within, process.execPath, next, mode]
  const child = spawn(command, [...args, '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_ENV: mode === 'dev' ? 'development' : 'production',
      AUTH_URL: url,
      // Nobody there takes mails, so this node must not try: a test that wants them names a server of its own.
      WORKER: 'apart',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'plinth@example.com',
      NEXT_TELEMETRY_DISABLED: '1',
      // No balancer has to notice that it ends.
      DRAIN_MS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const end = (signal: NodeJS.Signals) => endWith(child, signal)
  const stop = () => end('SIGTERM')
  // Development compiles before it answers.
  const deadline = Date.now() + (mode === 'dev' ? 180_000 : 60_000)
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
        exited: ended(child),
        isAlive: () => child.exitCode === null && child.signalCode === null,
      }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await stop()
  if (output().includes('Another next dev server'))
    throw new Error('Stop "npm run dev" first: the journeys need a development server of their own.')
  throw new Error(`The server did not start:\n${output()}`)
}

/** Runs `npm run worker`, and waits until it works. */
export async function startWorkerProcess(
  env: Record<string, string>,
): Promise<Pick<RunningServer, 'output' | 'stop' | 'kill'>> {
  const child = spawn(process.execPath, [join(root, 'scripts', 'worker.ts')], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = outputOf(child)
  const end = (signal: NodeJS.Signals) => endWith(child, signal)
  const deadline = Date.now() + 30_000
  while (!output().includes('worker started')) {
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`The worker did not start:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { output, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
}

/** For servers that are expected not to start: how they ended and what they said. */
export async function runUntilExit(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string; answered: boolean }> {
  const port = await freePort()
  // An empty value keeps .env from filling the setting in.
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/next/dist/bin/next'), 'start', '--port', String(port)],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output = outputOf(child)
  let answered = false
  const probe = setInterval(() => {
    fetch(`http://127.0.0.1:${port}/api/health`).then(
      () => {
        answered = true
      },
      () => {},
    )
  }, 50)
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const code = await ended(child)
  clearInterval(probe)
  clearTimeout(timer)
  return { code, output: output(), answered }
}
