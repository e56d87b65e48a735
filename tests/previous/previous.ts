// npm run test:previous: the version before this one, on the tables of this one. While nodes are replaced one after the other,
// the old ones work on a database that was already brought up to date; so must they when a new version is taken back.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { render } from '../../cli/src/render.ts'
import { writeTree } from '../../cli/src/versions.ts'
import { createServer } from '../../scripts/postgres.ts'
import { frozen, frozenArchive, oldModuleNames } from '../cli/world.ts'
import { runDb } from '../support/database.ts'
import { startRegistry } from '../support/registry.ts'

const place = mkdtempSync(join(tmpdir(), 'plinth-previous-'))
chmodSync(place, 0o755)
const folder = join(place, 'app')
mkdirSync(folder)
writeTree(render(frozen, { name: 'previous', modules: oldModuleNames }), folder)
execFileSync('git', ['init', '--quiet'], { cwd: folder })

const server = await createServer(join(place, 'postgres'))
await server.start()
const registry = await startRegistry([frozenArchive])
try {
  // Every database of the tests is made from this one: the old version finds its tables there, and the new ones as well.
  const template = new URL(server.url)
  template.pathname = '/template1'
  const count = async () => {
    const client = new pg.Client({ connectionString: template.href })
    await client.connect()
    const { rows } = await client.query('select count(*)::int as count from plinth_migrations')
    await client.end()
    return rows[0].count as number
  }
  const env = {
    ...process.env,
    TEST_DATABASE_URL: server.url,
    NEXT_TELEMETRY_DISABLED: '1',
    npm_config_registry: registry.url,
  }
  // Not one of the calls that wait: the registry is in this process.
  const run = async (...args: string[]) => {
    const [code] = await once(spawn('npm', args, { cwd: folder, env, stdio: 'inherit' }), 'exit')
    assert.equal(code, 0, `npm ${args.join(' ')}`)
  }
  await run('install', '--no-audit', '--no-fund')
  await run('run', 'build')
  runDb('migrate', template.href, undefined, folder)
  const before = await count()
  runDb('migrate', template.href)
  assert.ok((await count()) > before, 'there is nothing new in this version')
  await run('run', 'test:contract')
  console.log(
    `Version ${frozen.version} answers as ever on the tables of this one (${(await count()) - before} migrations later).`,
  )
} finally {
  await registry.stop()
  await server.stop()
  rmSync(place, { recursive: true, force: true })
}
