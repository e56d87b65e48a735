// npm run test:image: executes the Dockerfile in plain folders, from a clean copy to an app that serves requests and shuts
// down. The app runs as an OS user without write permission, with only Node and the content of the image.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { createDatabase, dropDatabase, findServer } from '../../app/support/database.ts'
import { copyProject } from '../support/project-copy.ts'
import { makeImage } from './dockerfile.ts'
import { machineEnv } from './machine-env.ts'
import { readUnit } from './unit-file.ts'

showUsage('npm run test:image')

/** Max size of the image without Node. */
const maxMegabytes = 150

const workFolder = mkdtempSync(join(tmpdir(), 'plinth-image-'))
chmodSync(workFolder, 0o755)
const context = join(workFolder, 'context')
mkdirSync(context)
copyProject(context)
// As if it were not in .dockerignore: Next copies such a file to its output.
writeFileSync(join(context, '.env'), 'MAIL_FROM=machine@example.com\n')

const npmFolder = dirname(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())
const PATH = [dirname(process.execPath), npmFolder, '/usr/bin', '/bin'].join(delimiter)
const image = makeImage(readFileSync(join(root, 'Dockerfile'), 'utf8'), context, workFolder, {
  ...machineEnv,
  PATH,
  HOME: process.env.HOME ?? workFolder,
  NEXT_TELEMETRY_DISABLED: '1',
})

const entries = () =>
  globSync('**/*', { cwd: image.folder, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const { size, mtimeMs } = lstatSync(path)
    return { path, size: entry.isFile() ? size : 0, line: `${path} ${size} ${mtimeMs}` }
  })
const before = entries()
const megabytes = before.reduce((sum, { size }) => sum + size, 0) / 1e6
assert.ok(megabytes < maxMegabytes, `the image has ${megabytes.toFixed(0)} MB`)
for (const name of ['.env', 'node_modules/esbuild', 'node_modules/typescript', 'node_modules/playwright-core', 'tests'])
  assert.ok(!before.some(({ path }) => path === join(image.workFolder, name)), `${name} is in the image`)

assert.equal(image.user, 'node')
const unprivileged: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const server = await findServer()
const database = await createDatabase(server.url)
const port = await findFreePort()
const url = `http://localhost:${port}`
const env: NodeJS.ProcessEnv = {
  ...image.env,
  PATH: dirname(process.execPath),
  HOSTNAME: '127.0.0.1',
  PORT: String(port),
  AUTH_URL: url,
  AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
  DATABASE_URL: database.url,
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'plinth@example.com',
  DRAIN_MS: '500',
}
const options = { cwd: image.workFolder, env, ...unprivileged } as const
const [program = '', ...args] = image.command

/** Repeats the request until the app responds. */
async function requestUntilReady(path: string, init: RequestInit = {}): Promise<Response> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const response = await fetch(`${url}${path}`, { ...init, redirect: 'manual' }).catch(() => null)
    if (response) return response
    if (Date.now() > deadline) throw new Error(`no response:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Runs the same folder as deploy/app.service does: migrates, starts, becomes ready, and ends on SIGTERM. */
async function runAsUnit(): Promise<void> {
  const unit = readUnit(readFileSync(join(root, 'deploy', 'app.service'), 'utf8'))
  // As in systemd, the file with the settings wins over the unit.
  const unitOptions = { ...options, env: { ...unit.env, ...env } }
  const [migrate = '', ...migrateArgs] = unit.before
  execFileSync(migrate, migrateArgs, { ...unitOptions, stdio: 'ignore' })
  const [start = '', ...startArgs] = unit.start
  const app = spawn(start, startArgs, { ...unitOptions, stdio: 'ignore' })
  const exited = new Promise<number | null>((resolve) => app.once('exit', resolve))
  try {
    assert.equal((await requestUntilReady('/api/health/ready')).status, 200)
    app.kill('SIGTERM')
    assert.equal(await exited, 143)
  } finally {
    app.kill('SIGKILL')
    await exited
  }
}

let output = ''
try {
  execFileSync('node', ['scripts/db.mjs', 'migrate'], { ...options, stdio: 'inherit' })
  execFileSync('node', ['scripts/db.mjs', 'status'], { ...options, stdio: 'ignore' })
  execFileSync('node', ['scripts/doctor.mjs'], { ...options, stdio: 'inherit' })
  const app = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (text) => (output += text))
  const exited = new Promise<number | null>((resolve) => app.once('exit', resolve))
  try {
    assert.equal((await requestUntilReady('/api/health/ready')).status, 200)
    // A static page with CSP hashes, and all its assets.
    const page = await requestUntilReady('/signed-out')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /'sha256-/)
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(assets.length > 0)
    for (const path of assets) assert.equal((await requestUntilReady(path)).status, 200, path)
    // A dynamic page, and a request that hashes a password.
    assert.match((await requestUntilReady('/signin')).headers.get('content-security-policy') ?? '', /'nonce-/)
    // A dynamic page that does not exist.
    const missing = await requestUntilReady('/connect/unknown')
    assert.equal(missing.status, 404)
    assert.match(await missing.text(), /<h1[^>]*>Page not found</)
    const rejected = await requestUntilReady('/api/auth/signin', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'not a password of anybody', redirect: false }),
    })
    assert.equal(rejected.status, 401, await rejected.text())
    app.kill('SIGTERM')
    assert.equal(await exited, 143, output)
    assert.match(output, /SIG(TERM|INT) received, draining/)
  } finally {
    app.kill('SIGKILL')
    await exited
  }
  assert.deepEqual(
    entries().map(({ line }) => line),
    before.map(({ line }) => line),
    'the app wrote into the image',
  )
  await runAsUnit()
  console.log(
    `The image has ${megabytes.toFixed(0)} MB without Node. It migrates, serves, writes no files and shuts down.`,
  )
} finally {
  await dropDatabase(server.url, database.name)
  await server.stop()
  rmSync(workFolder, { recursive: true, force: true })
}
