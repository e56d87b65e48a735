import { startAcme } from './acme.ts'
import { startApp } from './app.ts'
import { startServer } from './server.ts'

/** Starts the production build and, on the same database, a development server for the pages that only exist there. */
export default async function setup() {
  const { app, env, stop } = await startApp(startAcme)
  Object.assign(process.env, env, { APP_URL: app.url })
  if (process.env.SMOKE) return stop
  // Without a worker: links in emails lead to the server that sends them, and that must be the production build.
  const dev = await startServer('dev', { ...env, WORKER: 'apart' })
  // The development server compiles a page on its first request and may reload it then, which would disturb a test.
  const development = ['ui', 'routes', 'inbox', 'inbox/unread', 'emails', 'sign-in'].map((name) => `/dev/${name}`)
  for (const path of ['/welcome', ...development, '/dashboard', '/signin', '/docs/api', '/api/openapi.json'])
    await fetch(dev.url + path)
  process.env.DEV_URL = dev.url
  return async () => {
    await dev.stop()
    await stop()
  }
}
