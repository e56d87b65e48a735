import pg from 'pg'
import { runDb } from '../../../app/support/database.ts'
import type { RunningServer } from '../../../app/support/server.ts'
import type { World } from '../../../app/support/test-world.ts'
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts'
import { Cluster, type Settings } from './postgres.ts'

/** The same World with another database and another node. */
export function withDatabase(world: World, databaseUrl: string, app: RunningServer): World {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  // Its server is stopped on purpose.
  pool.on('error', () => {})
  world.atEndOfGroup(() => pool.end())
  return Object.create(world, { pool: { value: pool }, app: { value: app } })
}

export interface OwnServer {
  cluster: Cluster
  /** The proxy between the nodes and the server. */
  proxy: ChaosProxy
  /** Settings for a node behind the proxy. */
  env: { DATABASE_URL: string; WORKER: string }
}

/** A migrated PostgreSQL server for one check. Removed at the end of the group. */
export async function ownCluster(world: World, settings: Settings = {}): Promise<Cluster> {
  const cluster = await Cluster.create(settings)
  world.atEndOfGroup(() => cluster.remove())
  await cluster.query('create database plinth', [], 'postgres')
  runDb('migrate', cluster.url())
  return cluster
}

const servers = new WeakMap<World, Promise<OwnServer>>()

/** A PostgreSQL server that checks may stop, behind a proxy that they may cut. Shared by the checks of a group. */
export function ownServer(world: World): Promise<OwnServer> {
  const cached = servers.get(world)
  if (cached) return cached
  const started = (async () => {
    world.atEndOfGroup(async () => void servers.delete(world))
    const cluster = await ownCluster(world)
    const proxy = await startChaosProxy(cluster.port)
    world.atEndOfGroup(proxy.close)
    const url = new URL(cluster.url())
    url.port = String(proxy.port)
    return { cluster, proxy, env: { DATABASE_URL: url.href, WORKER: 'apart' } }
  })()
  servers.set(world, started)
  return started
}
