// npm run test:deploy: what docs/deploy.md says, line by line, in a folder with the app and nothing else. The only programs that
// can be found are Node, npm and a shell, and the home is empty.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startInbox } from '../../scripts/inbox.ts'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { copyProject } from '../support/copy.ts'
import { createDatabase, dropDatabase, findServer } from '../support/database.ts'
import { mailsTo } from '../support/inbox.ts'
import { ofThisMachine } from './machine.ts'

const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs', 'deploy.md'), 'utf8')) ?? []
const commands = block.trim().split('\n')
const last = commands.pop() ?? ''
assert.match(last, /start/)
const asked = /Set ((?:`[A-Z_]+`(?:, | and\n?| and |\n)*)+)/.exec(
  readFileSync(join(root, 'docs', 'deploy.md'), 'utf8'),
)?.[1]
const names = [...(asked ?? '').matchAll(/[A-Z_]+/g)].map(([name]) => name)

const place = mkdtempSync(join(tmpdir(), 'plinth-deploy-'))
const [folder, bin, home, mails] = ['app', 'bin', 'home', 'mails'].map((name) => join(place, name)) as [
  string,
  string,
  string,
  string,
]
for (const path of [folder, bin, home, mails]) mkdirSync(path)
copyProject(folder)
const which = (name: string) => execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
symlinkSync(process.execPath, join(bin, 'node'))
for (const name of ['npm', 'sh']) symlinkSync(realpathSync(which(name)), join(bin, name))

const server = await findServer()
const database = await createDatabase(server.url)
const inbox = await startInbox(mails)
const port = await freePort()
const admin = 'ada@example.com'
const settings: Record<string, string> = {
  AUTH_SECRET: randomBytes(33).toString('base64url'),
  AUTH_URL: `http://localhost:${port}`,
  DATABASE_URL: database.url,
  SMTP_URL: inbox.env.SMTP_URL,
  MAIL_FROM: 'plinth@example.com',
  ADMIN_EMAIL: admin,
}
assert.deepEqual(names.toSorted(), Object.keys(settings).toSorted(), 'docs/deploy.md asks for other settings')
const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
const own = { PATH: bin, HOME: home, PORT: String(port) }
const env = { ...ofThisMachine, npm_config_registry: registry, ...settings, ...own } as unknown as NodeJS.ProcessEnv

try {
  for (const command of commands) {
    console.log(`$ ${command}`)
    execFileSync(join(bin, 'sh'), ['-c', command], { cwd: folder, env, stdio: 'inherit' })
  }
  console.log(`$ ${last}`)
  // In a group of its own: npm and what it starts end together.
  const app = spawn(join(bin, 'sh'), ['-c', last], { cwd: folder, env, stdio: 'inherit', detached: true })
  const exited = new Promise((resolve) => app.once('exit', resolve))
  try {
    const deadline = Date.now() + 60_000
    const isReady = () =>
      fetch(`http://localhost:${port}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      )
    while (!(await isReady())) {
      assert.ok(Date.now() < deadline && app.exitCode === null, 'it does not become ready')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    while ((await mailsTo(admin, mails)).length === 0) {
      assert.ok(Date.now() < deadline, 'the first admin gets no mail')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const link = /http:\/\/\S+token=\S+/.exec((await mailsTo(admin, mails))[0]?.text ?? '')?.[0] ?? ''
    const page = await fetch(link)
    assert.equal(page.status, 200, link)
    assert.match(await page.text(), /password/i)
  } finally {
    if (app.pid) process.kill(-app.pid, 'SIGTERM')
    await exited
  }
  console.log('docs/deploy.md leads to an app that is ready, and whose first admin can choose a password.')
} finally {
  await inbox.stop()
  await dropDatabase(server.url, database.name)
  await server.stop()
  rmSync(place, { recursive: true, force: true })
}
