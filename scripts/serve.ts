// `npm run dev` and `npm run preview`: prepare everything, print the URLs, run Next until it is stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters, styleText } from 'node:util'
import { seedUsers } from '../src/core/db/seed-users.ts'
import { devPassword, migrateDatabase, rejectRemote, seedDatabase } from './database.ts'
import { prepareDevelopment } from './environment.ts'
import { exitWithExplanation, explainError } from './explain-error.ts'
import { endLeftOver, forgetServer, recordServer } from './left-over.ts'
import { findFreePort, isPortFree } from './ports.ts'
import { root } from './root.ts'
import { watchApp } from './watch-app.ts'

exitWithExplanation()

let child: ChildProcess | undefined
let isStopping = false

// Installed first, because everything that was started must be stopped again. Ctrl-C reaches the whole process group; a
// signal to this process alone must be forwarded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isStopping = true
    child?.kill(signal)
  })
}

/** Runs a command of Next, or a script, with this Node; resolves with its exit code. */
function runNode(...args: string[]): Promise<number> {
  if (isStopping) return Promise.resolve(1)
  const started = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  child = started
  if (started.pid) recordServer(started.pid)
  return new Promise((resolve) => started.on('exit', (code) => resolve(code ?? 1)))
}

const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')

/** Draws a box around the lines. Colors are left out if the output is not a terminal. */
function drawBox(lines: string[]): string {
  const widthOf = (line: string) => stripVTControlCharacters(line).length
  const width = Math.max(...lines.map(widthOf))
  const edge = '─'.repeat(width + 4)
  const side = styleText('dim', '│')
  return [
    styleText('dim', `┌${edge}┐`),
    ...lines.map((line) => `${side}  ${line}${' '.repeat(width - widthOf(line))}  ${side}`),
    styleText('dim', `└${edge}┘`),
  ].join('\n')
}

function printUrls(origin: string): void {
  const width = Math.max(...seedUsers.map(({ email }) => email.length))
  const link = (label: string, path: string) => `${label.padEnd(13)}${styleText('cyan', origin + path)}`
  const lines = [
    link('Get started', isPreview ? '/' : '/welcome'),
    link('Sign in', '/signin'),
    ...(isPreview
      ? ['Inbox        .data/inbox, shown at /dev/inbox by "npm run dev"']
      : [
          link('Inbox', '/dev/inbox'),
          link('Emails', '/dev/emails'),
          link('Components', '/dev/ui'),
          link('Routes', '/dev/routes'),
        ]),
    '',
    ...seedUsers.map(({ email, role }) => `${email.padEnd(width)}   ${role}`),
    `${'Password'.padEnd(width)}   ${styleText('bold', devPassword())}`,
  ]
  console.log(`\n${drawBox(lines)}\n`)
}

/** Opens the first page, which compiles it, and says when it is there: that can take half a minute. */
async function announceReady(origin: string): Promise<void> {
  const start = performance.now()
  const open = (path: string) =>
    fetch(origin + path, { signal: AbortSignal.timeout(180_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!isStopping && !(await open('/api/health'))) await new Promise((resolve) => setTimeout(resolve, 500))
  if (isStopping || !(await open('/welcome'))) return
  console.log(
    `Ready after ${Math.round((performance.now() - start) / 1000)} s: ${styleText('cyan', `${origin}/welcome`)}`,
  )
}

/** A new module may not be complete yet: the server starts all the same, and shows what is wrong with its pages. */
async function updateDatabase(): Promise<void> {
  try {
    await migrateDatabase()
    await seedDatabase()
  } catch (error) {
    console.error(`${explainError(error)}\nThe database was not updated. Fix this, then start "npm run dev" again.`)
  }
}

/** Runs the server of development, and starts it again when modules or packages were added or removed. */
async function runDevelopment(origin: string, host: string[]): Promise<number> {
  let reason = ''
  const stopWatching = watchApp((why) => {
    reason = why
    child?.kill('SIGTERM')
  })
  try {
    for (;;) {
      console.log('Compiling the first page…')
      void announceReady(origin)
      const code = await runNode(next, 'dev', ...host)
      if (!reason || isStopping) return code
      console.log(`${reason}: starting again.`)
      reason = ''
      await updateDatabase()
    }
  } finally {
    stopWatching()
  }
}

const isPreview = process.argv.includes('--production')
await endLeftOver()
const database = await prepareDevelopment()
let code = 1
let stopProviders = async () => {}
let stopInbox = async () => {}
try {
  rejectRemote('migrate and seed')
  await migrateDatabase()
  await seedDatabase()

  process.env.NEXT_TELEMETRY_DISABLED ??= '1'
  process.env.PORT ||= String(await findFreePort(3000))
  const port = Number(process.env.PORT)
  if (!(await isPortFree(port)))
    throw new Error(`Port ${port} is in use. Try: PORT=${await findFreePort(port + 1)} npm run dev`)
  // Bind to loopback, because the seeded users have a known password, unless DEV_HOSTS is set. Not the variable HOST: some
  // shells set it.
  const host = ['--hostname', process.env.DEV_HOSTS ? '0.0.0.0' : '127.0.0.1']
  process.env.DEV_HOSTS ||= 'localhost'
  const origin = `http://localhost:${process.env.PORT}`
  // Stand-ins for Google and GitHub, so that sign-in with them works offline until a real client of any provider is configured.
  if (!Object.entries(process.env).some(([name, value]) => /^AUTH_\w+_ID$/.test(name) && value)) {
    const { startProviders } = await import('./oauth.ts')
    const providers = await startProviders(process.env.AUTH_URL || origin)
    Object.assign(process.env, providers.env)
    stopProviders = providers.stop
  }
  // A local SMTP server for emails; /dev/inbox shows them.
  if (!process.env.SMTP_URL) {
    const { startInbox } = await import('./inbox.ts')
    const inbox = await startInbox(join(root, '.data', 'inbox'))
    Object.assign(process.env, inbox.env)
    stopInbox = inbox.stop
  }
  if (isPreview) {
    process.env.AUTH_URL ||= origin
    process.env.ALLOW_SEEDED_PEOPLE ||= '1'
    // There is no load balancer that has to notice the shutdown.
    process.env.DRAIN_MS ||= '0'
    code = (await runNode(next, 'build')) || (await runNode(join(root, 'scripts', 'postbuild.ts')))
    if (code === 0) {
      printUrls(origin)
      code = await runNode(next, 'start', ...host)
    }
  } else {
    printUrls(origin)
    code = await runDevelopment(origin, host)
  }
} finally {
  forgetServer()
  await stopProviders()
  await stopInbox()
  await database.stop()
}
process.exit(isStopping ? 0 : code)
