// Three nodes behind HAProxy with the shipped configuration, started and stopped by checks.

import { findFreePort } from '../../../../scripts/ports.ts'
import { newProxyUrl, type RunningProxy, startProxy } from '../../../app/support/proxy.ts'
import { type RunningServer, startServer } from '../../../app/support/server.ts'
import type { World } from '../../../app/support/test-world.ts'
import { type LoadTarget, waitUntil } from './load.ts'

export class Fleet implements LoadTarget {
  readonly url: string
  readonly nodes: RunningServer[]
  readonly proxy: RunningProxy
  readonly query: World['query']
  private readonly start: (index: number) => Promise<RunningServer>

  private constructor(
    proxy: RunningProxy,
    nodes: RunningServer[],
    query: World['query'],
    start: (index: number) => Promise<RunningServer>,
  ) {
    this.url = proxy.url
    this.proxy = proxy
    this.nodes = nodes
    this.query = query
    this.start = start
  }

  get certificate(): string {
    return this.proxy.certificate
  }

  static async start(
    world: World,
    { count = 3, env = {}, query }: { count?: number; env?: Record<string, string>; query?: World['query'] } = {},
  ): Promise<Fleet> {
    const url = await newProxyUrl()
    const ports: number[] = []
    while (ports.length < count) ports.push(await findFreePort())
    const start = async (index: number) => {
      const all = { ...world.env, AUTH_URL: url, ...env }
      // Identifies the connections of this node in pg_stat_activity.
      const DATABASE_URL = `${all.DATABASE_URL}?application_name=app${index + 1}`
      const node = await startServer('start', { ...all, DATABASE_URL }, { port: ports[index] as number })
      world.watchOutput(node)
      return node
    }
    const nodes = await Promise.all(ports.map((_, index) => start(index)))
    const proxy = await startProxy(
      url,
      nodes.map((node) => node.url),
      { asShipped: true },
    )
    return new Fleet(proxy, nodes, query ?? world.query.bind(world), start)
  }

  node(index: number): RunningServer {
    const node = this.nodes[index]
    if (!node) throw new Error(`there is no node ${index}`)
    return node
  }

  /** Number of database connections that a node holds. */
  async connectionsOf(index: number): Promise<number> {
    const [{ count }] = await this.query('select count(*)::int from pg_stat_activity where application_name = $1', [
      `app${index + 1}`,
    ])
    return count
  }

  /** Starts the node again on the same port, and waits until the proxy sends it requests. */
  async restartNode(index: number): Promise<void> {
    this.nodes[index] = await this.start(index)
    await this.waitForState(index, 'UP')
  }

  /** Restarts nodes that ended, and waits until the proxy uses all of them. */
  async restartDeadNodes(): Promise<void> {
    for (const [index, node] of this.nodes.entries()) if (!node.isAlive()) await this.restartNode(index)
    for (const index of this.nodes.keys()) await this.waitForState(index, 'UP')
  }

  /** Waits until the proxy reports that state; returns after how many milliseconds. */
  waitForState(index: number, state: 'UP' | 'DOWN'): Promise<number> {
    const server = `ready/app${index + 1}`
    const pattern = new RegExp(`Server ${server} is (UP|DOWN)`, 'g')
    // Initially all nodes are up.
    const last = () => [...this.proxy.output().matchAll(pattern)].at(-1)?.[1] ?? 'UP'
    return waitUntil(`${server} is ${state}`, () => last() === state, 60_000)
  }

  async stop(): Promise<void> {
    await this.proxy.stop()
    await Promise.all(this.nodes.map((node) => node.kill()))
  }
}
