// npm run test:previous: runs the previous version on the schema of this one. During a rolling deployment, and after a
// rollback, old processes work on a database that is already migrated.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { render } from '../../../cli/src/render.ts'
import { writeTree } from '../../../cli/src/versions.ts'
import { createServer } from '../../../scripts/postgres.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { runDb } from '../../app/support/database.ts'
import { frozen, frozenArchive, oldModuleNames } from '../cli/test-app.ts'
import { startRegistry } from '../support/registry.ts'

showUsage('npm run test:previous')

const workFolder = mkdtempSync(join(tmpdir(), 'plinth-previous-'))
chmodSync(workFolder, 0o755)
const folder = join(workFolder, 'app')
mkdirSync(folder)
writeTree(render(frozen, { name: 'previous', modules: oldModuleNames }), folder)
execFileSync('git', ['init', '--quiet'], { cwd: folder })

const server = await createServer(join(workFolder, 'postgres'))
await server.start()
const registry = await startRegistry([frozenArchive])
try {
  // PostgreSQL copies new databases from template1, so every database of the tests has the old and the new migrations.
  const template = new URL(server.url)
  template.pathname = '/template1'
  const count = async () => {
    const client = new pg.Client({ connectionString: template.href })
    await client.connect()
    const { rows } = await client.query('select count(*)::int as count from plinth_migrations')
    await client.end()
    return rows[0].count as number
  }
  const env: NodeJS.ProcessEnv = {
    // Without the npm settings of this project, which `npm run` passes on: the old version has its own.
    ...(Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
    ) as unknown as NodeJS.ProcessEnv),
    TEST_DATABASE_URL: server.url,
    NEXT_TELEMETRY_DISABLED: '1',
    npm_config_registry: registry.url,
  }
  // Asynchronous, because the registry runs in this process.
  const run = async (...args: string[]) => {
    const [code] = await once(spawn('npm', args, { cwd: folder, env, stdio: 'inherit' }), 'exit')
    assert.equal(code, 0, `npm ${args.join(' ')}`)
  }
  await run('install', '--no-audit', '--no-fund')
  await run('run', 'build')
  runDb('migrate', template.href, undefined, folder)
  const before = await count()
  runDb('migrate', template.href)
  assert.ok((await count()) > before, 'this version has no new migrations')
  await run('run', 'test:contract')
  console.log(
    `Version ${frozen.version} passes its contract on the schema of this one (${(await count()) - before} migrations later).`,
  )
} finally {
  await registry.stop()
  await server.stop()
  rmSync(workFolder, { recursive: true, force: true })
}
