// npm run test:deploy: runs the commands of docs/deploy.md in a folder that contains only the app. PATH has only Node, npm and
// a shell, and HOME is empty.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInbox } from '../../../scripts/inbox.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { createDatabase, dropDatabase, findServer } from '../../app/support/database.ts'
import { emailsTo } from '../../app/support/inbox.ts'
import { copyProject } from '../support/project-copy.ts'
import { machineEnv } from './machine-env.ts'

showUsage('npm run test:deploy')

const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs', 'deploy.md'), 'utf8')) ?? []
const commands = block.trim().split('\n')
const startCommand = commands.pop() ?? ''
assert.match(startCommand, /start/)
const listedSettings = /Set ((?:`[A-Z_]+`(?:, | and\n?| and |\n)*)+)/.exec(
  readFileSync(join(root, 'docs', 'deploy.md'), 'utf8'),
)?.[1]
const names = [...(listedSettings ?? '').matchAll(/[A-Z_]+/g)].map(([name]) => name)

const workFolder = mkdtempSync(join(tmpdir(), 'plinth-deploy-'))
const [folder, bin, home, inboxFolder] = ['app', 'bin', 'home', 'inbox'].map((name) => join(workFolder, name)) as [
  string,
  string,
  string,
  string,
]
for (const path of [folder, bin, home, inboxFolder]) mkdirSync(path)
copyProject(folder)
const which = (name: string) => execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
symlinkSync(process.execPath, join(bin, 'node'))
for (const name of ['npm', 'sh']) symlinkSync(realpathSync(which(name)), join(bin, name))

const server = await findServer()
const database = await createDatabase(server.url)
const inbox = await startInbox(inboxFolder)
const port = await findFreePort()
const admin = 'ada@example.com'
const settings: Record<string, string> = {
  AUTH_SECRET: randomBytes(33).toString('base64url'),
  AUTH_URL: `http://localhost:${port}`,
  DATABASE_URL: database.url,
  SMTP_URL: inbox.env.SMTP_URL,
  MAIL_FROM: 'plinth@example.com',
  ADMIN_EMAIL: admin,
}
assert.deepEqual(
  names.toSorted(),
  Object.keys(settings).toSorted(),
  'docs/deploy.md lists other settings than this test sets',
)
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
const ownEnv = { PATH: bin, HOME: home, PORT: String(port) }
const env = { ...machineEnv, npm_config_registry: registry, ...settings, ...ownEnv } as unknown as NodeJS.ProcessEnv

try {
  for (const command of commands) {
    console.log(`$ ${command}`)
    execFileSync(join(bin, 'sh'), ['-c', command], { cwd: folder, env, stdio: 'inherit' })
  }
  console.log(`$ ${startCommand}`)
  // Own process group, so that npm and its children can be stopped together.
  const app = spawn(join(bin, 'sh'), ['-c', startCommand], { cwd: folder, env, stdio: 'inherit', detached: true })
  const exited = new Promise((resolve) => app.once('exit', resolve))
  try {
    const deadline = Date.now() + 60_000
    const isReady = () =>
      fetch(`http://localhost:${port}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await isReady())) {
      assert.ok(Date.now() < deadline && app.exitCode === null, 'the app did not become ready')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    while ((await emailsTo(admin, inboxFolder)).length === 0) {
      assert.ok(Date.now() < deadline, 'the first admin got no email')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const link = /http:\/\/\S+token=\S+/.exec((await emailsTo(admin, inboxFolder))[0]?.text ?? '')?.[0] ?? ''
    const page = await fetch(link)
    assert.equal(page.status, 200, link)
    assert.match(await page.text(), /password/i)
  } finally {
    if (app.pid) process.kill(-app.pid, 'SIGTERM')
    await exited
  }
  console.log('docs/deploy.md works: the app is ready, and the first admin can choose a password.')
} finally {
  await inbox.stop()
  await dropDatabase(server.url, database.name)
  await server.stop()
  rmSync(workFolder, { recursive: true, force: true })
}
