import pg from 'pg'
import type { World } from '../hostile/world.ts'
import { runDb } from '../support/database.ts'
import type { RunningServer } from '../support/server.ts'
import { type ChaosProxy, startChaosProxy } from './chaos-proxy.ts'
import { Cluster, type Settings } from './postgres.ts'

/** The world with another database and another node in place of its own. */
export function elsewhere(world: World, databaseUrl: string, app: RunningServer): World {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4 })
  // Its server goes away on purpose.
  pool.on('error', () => {})
  world.atEndOfGroup(() => pool.end())
  return Object.create(world, { pool: { value: pool }, app: { value: app } })
}

export interface OwnServer {
  cluster: Cluster
  /** Between the nodes and the server. */
  wire: ChaosProxy
  /** Settings for a node behind the wire. */
  env: { DATABASE_URL: string; WORKER: string }
}

/** A PostgreSQL for one check, with the app's tables. It ends with the group. */
export async function ownCluster(world: World, settings: Settings = {}): Promise<Cluster> {
  const cluster = await Cluster.create(settings)
  world.atEndOfGroup(() => cluster.remove())
  await cluster.query('create database plinth', [], 'postgres')
  runDb('migrate', cluster.url())
  return cluster
}

const servers = new WeakMap<World, Promise<OwnServer>>()

/** A PostgreSQL that checks may stop, and a wire to it that they may cut, for as long as the group lasts. */
export function ownServer(world: World): Promise<OwnServer> {
  const known = servers.get(world)
  if (known) return known
  const made = (async () => {
    world.atEndOfGroup(async () => void servers.delete(world))
    const cluster = await ownCluster(world)
    const wire = await startChaosProxy(cluster.port)
    world.atEndOfGroup(wire.close)
    const url = new URL(cluster.url())
    url.port = String(wire.port)
    return { cluster, wire, env: { DATABASE_URL: url.href, WORKER: 'apart' } }
  })()
  servers.set(world, made)
  return made
}
