// npm run test:contract: the HTTP interface as docs/api.md has it, row by row. By itself it starts the production build on
// a database of its own. With --base-url it tries any app that runs, and is careful with it: a handful of sign-ins by the
// person named with --email and --password, whose sessions it ends again, and nothing that others would notice.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { root } from '../../scripts/root.ts'
import { startApp } from '../support/app.ts'
import { newPerson } from '../support/person.ts'
import { startServer } from '../support/server.ts'
import { describeAuthJs } from './auth-js.ts'
import { describeCaller } from './caller.ts'
import { describeCrossSite } from './cross-site.ts'
import { describeDocument } from './document.ts'
import { describeHealth } from './health.ts'
import { describeModules } from './modules.ts'
import { describeProblems } from './problems.ts'
import { describeSession } from './session.ts'
import { describeSignIn } from './sign-in.ts'
import { describeSignOut } from './sign-out.ts'
import { describeSite, type Target } from './target.ts'

const { values } = parseArgs({
  options: { 'base-url': { type: 'string' }, email: { type: 'string' }, password: { type: 'string' } },
})

async function startOwn(): Promise<{ target: Target; stop: () => Promise<void> }> {
  const { app, env, stop } = await startApp()
  Object.assign(process.env, env)
  const client = new pg.Client({ connectionString: env.DATABASE_URL })
  const startNode = (more: Record<string, string>) => startServer('start', { ...env, ...more })
  const origin = 'https://app.example.com'
  const secure = await startNode({ AUTH_URL: origin }).catch(async (error) => {
    await stop()
    throw error
  })
  await client.connect()
  const target: Target = {
    sites: [describeSite(app.url), describeSite(secure.url, origin)],
    person: { email: 'viewer@example.com', password: env.DEV_PASSWORD },
    own: {
      password: env.DEV_PASSWORD,
      newPerson,
      query: (text, given) => client.query(text, given),
      startNode,
      hasModule: (name) => existsSync(join(root, 'src', 'app', `(${name})`)),
    },
  }
  return {
    target,
    stop: async () => {
      await client.end()
      await secure.stop()
      await stop()
    },
  }
}

function findRunning(baseUrl: string): { target: Target; stop: () => Promise<void> } {
  const { origin } = new URL(baseUrl)
  const { email, password } = values
  const person = email && password ? { email, password } : undefined
  return { target: { sites: [describeSite(origin)], person, own: undefined }, stop: async () => {} }
}

const { target, stop } = values['base-url'] ? findRunning(values['base-url']) : await startOwn()

describe(`the contract, at ${target.sites.map(({ url }) => url).join(' and ')}`, () => {
  after(stop)
  describeHealth(target)
  describeSession(target)
  describeCaller(target)
  describeSignIn(target)
  describeSignOut(target)
  describeCrossSite(target)
  describeAuthJs(target)
  describeModules(target)
  describeProblems(target)
  describeDocument(target)
})
