// Three nodes behind HAProxy as it is shipped, which come and go.

import { freePort } from '../../scripts/ports.ts'
import type { World } from '../hostile/world.ts'
import { proxyAddress, type RunningProxy, startProxy } from '../support/proxy.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { type Place, until } from './load.ts'

export class Fleet implements Place {
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
    const url = await proxyAddress()
    const ports: number[] = []
    while (ports.length < count) ports.push(await freePort())
    const start = async (index: number) => {
      const all = { ...world.env, AUTH_URL: url, ...env }
      // So that its connections can be told from those of the others.
      const DATABASE_URL = `${all.DATABASE_URL}?application_name=app${index + 1}`
      const node = await startServer('start', { ...all, DATABASE_URL }, { port: ports[index] as number })
      world.watch(node)
      return node
    }
    const nodes = await Promise.all(ports.map((_, index) => start(index)))
    const proxy = await startProxy(
      url,
      nodes.map((node) => node.url),
    )
    return new Fleet(proxy, nodes, query ?? world.query.bind(world), start)
  }

  node(index: number): RunningServer {
    const node = this.nodes[index]
    if (!node) throw new Error(`there is no node ${index}`)
    return node
  }

  /** Connections to the database that a node holds. */
  async connectionsOf(index: number): Promise<number> {
    const [{ count }] = await this.query('select count(*)::int from pg_stat_activity where application_name = $1', [
      `app${index + 1}`,
    ])
    return count
  }

  /** Starts it again under the same address, and waits until the proxy sends requests there. */
  async revive(index: number): Promise<void> {
    this.nodes[index] = await this.start(index)
    await this.sees(index, 'UP')
  }

  /** Starts again what has ended, and waits until the proxy sends requests everywhere. */
  async mend(): Promise<void> {
    for (const [index, node] of this.nodes.entries()) if (!node.isAlive()) await this.revive(index)
    for (const index of this.nodes.keys()) await this.sees(index, 'UP')
  }

  /** Waits until the proxy takes a node for that; returns after how many milliseconds. */
  sees(index: number, state: 'UP' | 'DOWN'): Promise<number> {
    const server = `ready/app${index + 1}`
    const words = new RegExp(`Server ${server} is (UP|DOWN)`, 'g')
    // It begins with all of them up.
    const last = () => [...this.proxy.output().matchAll(words)].at(-1)?.[1] ?? 'UP'
    return until(`${server} is ${state}`, () => last() === state, 60_000)
  }

  async stop(): Promise<void> {
    await this.proxy.stop()
    await Promise.all(this.nodes.map((node) => node.kill()))
  }
}
