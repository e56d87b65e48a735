// npm run test:contract: tests the HTTP API as documented in docs/api.md. By default it starts the production build with a
// database of its own. With --base-url it tests a running app without side effects for other users: it only signs in a few
// times as the user given by --email and --password, and ends those sessions.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { startApp } from '../support/app.ts'
import { hasModule } from '../support/has-module.ts'
import { newUser } from '../support/new-user.ts'
import { startServer } from '../support/server.ts'
import { describeSite, type Target } from './target.ts'

showUsage('npm run test:contract [-- --base-url <URL> --email <email> --password <password>]')

const { values } = parseArgs({
  options: { 'base-url': { type: 'string' }, email: { type: 'string' }, password: { type: 'string' } },
})

const parts = ['session', 'sign-in', 'modules', 'problems', 'document']
/** About core alone: a created app gets them from "npx plinth verify contract". */
const partsOfCore = ['caller', 'sign-out', 'health', 'cross-site', 'auth-js', 'search', 'crawlers']
const describeParts: ((target: Target) => void)[] = await Promise.all(
  [...parts, ...partsOfCore]
    .map((name) => join(import.meta.dirname, `${name}.ts`))
    .filter((file) => existsSync(file))
    .map(async (file) => (await import(pathToFileURL(file).href)).describePart),
)

async function startOwnApp(): Promise<{ target: Target; stop: () => Promise<void> }> {
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
    user: { email: 'viewer@example.com', password: env.DEV_PASSWORD },
    ownApp: {
      password: env.DEV_PASSWORD,
      newUser,
      query: (text, given) => client.query(text, given),
      startNode,
      hasModule,
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

function connectTo(baseUrl: string): { target: Target; stop: () => Promise<void> } {
  const { origin } = new URL(baseUrl)
  const { email, password } = values
  const user = email && password ? { email, password } : undefined
  return { target: { sites: [describeSite(origin)], user, ownApp: undefined }, stop: async () => {} }
}

const { target, stop } = values['base-url'] ? connectTo(values['base-url']) : await startOwnApp()

describe(`the API contract of ${target.sites.map(({ url }) => url).join(' and ')}`, () => {
  after(stop)
  for (const describePart of describeParts) describePart(target)
})
