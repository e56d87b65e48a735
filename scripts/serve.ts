// `npm run dev` and `npm run preview`: prepare everything, say where things are, run Next until it is stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { seedPeople } from '../src/core/db/people.ts'
import { devPassword, migrateDatabase, refuseElsewhere, seedDatabase } from './database.ts'
import { prepareDevelopment } from './environment.ts'
import { freePort, isFree } from './ports.ts'
import { root } from './root.ts'

let child: ChildProcess | undefined
let isStopping = false

// From the first moment on: whatever was started must be stopped again. Ctrl-C reaches the whole group by itself; a
// signal sent to this process alone must be passed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    isStopping = true
    child?.kill(signal)
  })
}

/** Runs one of Next's commands, or a script, with this Node; resolves with its exit code. */
function runNode(...args: string[]): Promise<number> {
  if (isStopping) return Promise.resolve(1)
  const started = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  child = started
  return new Promise((resolve) => started.on('exit', (code) => resolve(code ?? 1)))
}

const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')

function printStart(origin: string): void {
  const width = Math.max(...seedPeople.map(({ email }) => email.length))
  const lines = [
    '',
    `  Start here   ${origin}${isPreview ? '/' : '/welcome'}`,
    `  Sign in      ${origin}/signin`,
    ...(isPreview
      ? ['  Mails        .data/inbox, shown at /dev/inbox by "npm run dev"']
      : [`  Mails        ${origin}/dev/inbox`, `  Interface    ${origin}/dev/ui`]),
    '',
    ...seedPeople.map(({ email, role }) => `  ${email.padEnd(width)}   ${role}`),
    `  ${'password'.padEnd(width)}   ${devPassword()}`,
    '',
  ]
  console.log(lines.join('\n'))
}

const isPreview = process.argv.includes('--production')
const database = await prepareDevelopment()
let code = 1
let stopProviders = async () => {}
let stopInbox = async () => {}
try {
  refuseElsewhere('migrate and seed')
  await migrateDatabase()
  await seedDatabase()

  process.env.NEXT_TELEMETRY_DISABLED ??= '1'
  process.env.PORT ||= String(await freePort(3000))
  const port = Number(process.env.PORT)
  if (!(await isFree(port)))
    throw new Error(`Something is on port ${port} already. Take another: PORT=${port + 1} npm run dev`)
  // The seeded people have a known password: only this machine may reach them, unless HOST says otherwise.
  const host = ['--hostname', process.env.HOST || '127.0.0.1']
  const origin = `http://localhost:${process.env.PORT}`
  // Sign-in with Google and GitHub works on the first day, offline: real servers stand in until there are real clients.
  if (!process.env.AUTH_GOOGLE_ID && !process.env.AUTH_GITHUB_ID) {
    const { startProviders } = await import('./oauth.ts')
    const providers = await startProviders(process.env.AUTH_URL || origin)
    Object.assign(process.env, providers.env)
    stopProviders = providers.stop
  }
  // The same for mails: a real server takes them, and /dev/inbox shows them.
  if (!process.env.SMTP_URL) {
    const { startInbox } = await import('./inbox.ts')
    const inbox = await startInbox(join(root, '.data', 'inbox'))
    Object.assign(process.env, inbox.env)
    stopInbox = inbox.stop
  }
  if (isPreview) {
    process.env.AUTH_URL ||= origin
    process.env.ALLOW_SEEDED_PEOPLE ||= '1'
    // No balancer has to notice that it ends.
    process.env.DRAIN_MS ||= '0'
    code = (await runNode(next, 'build')) || (await runNode(join(root, 'scripts', 'seal.ts')))
    if (code === 0) {
      printStart(origin)
      code = await runNode(next, 'start', ...host)
    }
  } else {
    printStart(origin)
    code = await runNode(next, 'dev', ...host)
  }
} finally {
  await stopProviders()
  await stopInbox()
  await database.stop()
}
process.exit(isStopping ? 0 : code)
