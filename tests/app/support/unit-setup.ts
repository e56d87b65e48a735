import type { TestProject } from 'vitest/node'
import { createDatabase, dropTemplate, findServer, runDb } from './database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    server: string
    template: string
  }
}

/** Creates one migrated database as a template; each test file gets a copy of it. */
export async function setup(project: TestProject) {
  const server = await findServer()
  const template = await createDatabase(server.url)
  runDb('migrate', template.url)
  project.provide('server', server.url)
  project.provide('template', template.name)
  return async () => {
    // All copies at the end: some file systems take ten times as long to create files while others are being deleted.
    await dropTemplate(server.url, template.name)
    await server.stop()
  }
}
