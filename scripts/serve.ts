// `npm run dev` and `npm run preview`: prepare everything, say where things are, run Next until it is stopped.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { seedPeople } from '../src/core/db/people.ts'
import { devPassword, migrateDatabase, seedDatabase } from './database.ts'
import { prepareEnvironment } from './environment.ts'
import { freePort } from './ports.ts'
import { root } from './root.ts'

/** Runs one of Next's commands, or a script, with this Node; resolves with its exit code. */
function runNode(...args: string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
  // Ctrl-C reaches the whole group by itself; a signal sent to this process alone must be passed on.
  const passOn = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGINT', passOn).on('SIGTERM', passOn)
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 0)))
}

const next = join(root, 'node_modules', 'next', 'dist', 'bin', 'next')

function printStart(origin: string): void {
  const width = Math.max(...seedPeople.map(({ email }) => email.length))
  const lines = [
    '',
    `  Start here   ${origin}/welcome`,
    `  Sign in      ${origin}/signin`,
    '',
    ...seedPeople.map(({ email, role }) => `  ${email.padEnd(width)}   ${role}`),
    `  ${'password'.padEnd(width)}   ${devPassword()}`,
    '',
  ]
  console.log(lines.join('\n'))
}

const isPreview = process.argv.includes('--production')
// The seeded people have a known password: only this machine may reach them, unless HOST says otherwise.
const host = ['--hostname', process.env.HOST || '127.0.0.1']
process.env.PORT ||= String(await freePort(3000))
const origin = `http://localhost:${process.env.PORT}`

process.env.NEXT_TELEMETRY_DISABLED ??= '1'
const database = await prepareEnvironment()
let code = 1
try {
  await migrateDatabase()
  await seedDatabase()
  if (isPreview) {
    process.env.AUTH_URL ||= origin
    process.env.ALLOW_SEEDED_PEOPLE ||= '1'
    code = await runNode(next, 'build')
    code ||= await runNode(join(root, 'scripts', 'seal.ts'))
    if (code === 0) {
      printStart(origin)
      code = await runNode(next, 'start', ...host)
    }
  } else {
    printStart(origin)
    code = await runNode(next, 'dev', ...host)
  }
} finally {
  await database.stop()
}
process.exit(code)
