import { startApp } from './app.ts'
import { startServer } from './server.ts'

/** The production build, and a development server for the pages that exist only there, on one database. */
export default async function setup() {
  const { app, env, stop } = await startApp()
  // Links in mails lead to whoever sent them: that is to be the production build.
  const dev = await startServer('dev', { ...env, WORKER: 'apart' })
  // Development compiles a page when it is first asked for, and may then load it once more: not in the middle of a test.
  for (const path of ['/welcome', '/dev/ui', '/dev/inbox']) await fetch(dev.url + path)
  Object.assign(process.env, env, { APP_URL: app.url, DEV_URL: dev.url })
  return async () => {
    await dev.stop()
    await stop()
  }
}
