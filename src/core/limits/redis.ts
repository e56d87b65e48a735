import 'server-only'
import { Redis, type RedisOptions } from 'ioredis'
import { env } from '../env'
import { log } from '../log'

const shared = globalThis as { plinthRedis?: Redis }

/** A server that is away must fail at once, not after its defaults' 15 seconds. */
const options: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  // A busy node takes an answer that is there for one that is late, and counts that try in PostgreSQL as well.
  commandTimeout: 500,
  // One that accepts and does not answer keeps the first waiting and nobody else: it is left until it answers.
  socketTimeout: 500,
  connectTimeout: 500,
  sentinelCommandTimeout: 500,
  retryStrategy: (tries) => Math.min(tries * 100, 2_000),
  // Another has taken its place.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
}

/** `redis+sentinel://user:password@host:port,host:port/name`: who knows where the Redis of that name is just now. */
function readSentinels(url: string): RedisOptions | undefined {
  const parts = /^redis\+sentinel:\/\/(?:([^:@]*):([^@]*)@)?([^/]+)\/(.+)$/.exec(url)
  if (!parts) return
  const [, username, password, hosts = '', name = ''] = parts
  const sentinels = hosts.split(',').map((address) => {
    const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(address) ?? []
    return { host, port: Number(port ?? 26379) }
  })
  return {
    sentinels,
    name,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  }
}

/** The connection to Redis, when REDIS_URL names one. */
export function redis(): Redis | undefined {
  const url = env.REDIS_URL
  if (!url) return
  if (!shared.plinthRedis) {
    const sentinels = readSentinels(url)
    shared.plinthRedis = sentinels ? new Redis({ ...options, ...sentinels }) : new Redis(url, options)
    shared.plinthRedis.on('error', (error) => log.warn({ error }, 'Redis is away; limits are counted in PostgreSQL'))
  }
  return shared.plinthRedis
}

/** Waits for Redis, for a second at most: what is counted in PostgreSQL until it is there is allowed on top of the limit. */
export async function connectRedis(): Promise<void> {
  const client = redis()
  if (!client || client.status === 'ready') return
  await new Promise<void>((resolve) => {
    client.once('ready', resolve)
    setTimeout(resolve, 1_000)
  })
}
