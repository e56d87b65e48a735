// npm run test:image: what the Dockerfile says, in plain folders, from a clean copy to an app that serves and takes leave.
// The app runs as somebody who may write nowhere, and has nothing but Node and what is in the image.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { copyProject } from '../support/copy.ts'
import { createDatabase, dropDatabase, findServer } from '../support/database.ts'
import { makeImage } from './dockerfile.ts'
import { ofThisMachine } from './machine.ts'

/** Of what is in the image beside Node. */
const mostMegabytes = 150

const place = mkdtempSync(join(tmpdir(), 'plinth-image-'))
chmodSync(place, 0o755)
const context = join(place, 'context')
mkdirSync(context)
copyProject(context)

const npmFolder = dirname(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim())
const PATH = [dirname(process.execPath), npmFolder, '/usr/bin', '/bin'].join(delimiter)
const image = makeImage(readFileSync(join(root, 'Dockerfile'), 'utf8'), context, place, {
  ...ofThisMachine,
  PATH,
  HOME: process.env.HOME ?? place,
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
assert.ok(megabytes < mostMegabytes, `the image has ${megabytes.toFixed(0)} MB`)
for (const name of ['.env', 'node_modules/esbuild', 'node_modules/typescript', 'node_modules/playwright-core', 'tests'])
  assert.ok(!before.some(({ path }) => path === join(image.workFolder, name)), `${name} is in the image`)

assert.equal(image.user, 'node')
const unprivileged: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
const server = await findServer()
const database = await createDatabase(server.url)
const port = await freePort()
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

/** Asks until somebody answers. */
async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const answer = await fetch(`${url}${path}`, { ...init, redirect: 'manual' }).catch(() => null)
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`no answer:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

let output = ''
try {
  execFileSync('node', ['scripts/db.mjs', 'migrate'], { ...options, stdio: 'inherit' })
  execFileSync('node', ['scripts/db.mjs', 'status'], { ...options, stdio: 'ignore' })
  const app = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (text) => (output += text))
  const exited = new Promise<number | null>((resolve) => app.once('exit', resolve))
  try {
    assert.equal((await ask('/api/health/ready')).status, 200)
    // A page that was made by the build, with its own policy, and all that it loads.
    const page = await ask('/welcome')
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /'sha256-/)
    const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    )
    assert.ok(assets.length > 0)
    for (const path of assets) assert.equal((await ask(path)).status, 200, path)
    // A page that is made now, and a request that hashes a password.
    assert.match((await ask('/signin')).headers.get('content-security-policy') ?? '', /'nonce-/)
    const refused = await ask('/api/auth/signin', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'nobody@example.com', password: 'not a password of anybody', redirect: false }),
    })
    assert.equal(refused.status, 401, await refused.text())
    app.kill('SIGTERM')
    assert.equal(await exited, 143, output)
    assert.match(output, /told to end: draining/)
  } finally {
    app.kill('SIGKILL')
    await exited
  }
  assert.deepEqual(
    entries().map(({ line }) => line),
    before.map(({ line }) => line),
    'something was written into the image',
  )
  console.log(
    `An image of ${megabytes.toFixed(0)} MB beside Node: it migrates, serves, writes nothing and takes leave.`,
  )
} finally {
  await dropDatabase(server.url, database.name)
  await server.stop()
  rmSync(place, { recursive: true, force: true })
}
