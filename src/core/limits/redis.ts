import 'server-only'
import { Redis, type RedisOptions } from 'ioredis'
import { env } from '../env'
import { log } from '../log'
import { timeoutMs } from '../timeout'

const shared = globalThis as { plinthRedis?: Redis }

/** Fail fast if the server is down; with the defaults a command takes 15 seconds to fail. */
const options: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  // On a busy node a response may be processed too late to meet this; the attempt is then counted in PostgreSQL as
  // well.
  commandTimeout: timeoutMs(500),
  // If the server accepts connections but does not respond, only the first command waits; then it counts as down.
  socketTimeout: timeoutMs(500),
  connectTimeout: timeoutMs(500),
  sentinelCommandTimeout: timeoutMs(500),
  retryStrategy: (tries) => Math.min(tries * 100, 2_000),
  // READONLY: this server is a replica now, after a failover.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
}

/**
 * Parses `redis+sentinel://user:password@host:port,host:port/name`: the sentinels, and the name of the monitored
 * primary.
 */
function parseSentinelUrl(url: string): RedisOptions | undefined {
  const parts = /^redis\+sentinel:\/\/(?:([^:@]*):([^@]*)@)?([^/]+)\/(.+)$/.exec(url)
  if (!parts) return
  const [, username, password, hosts = '', name = ''] = parts
  const sentinels = hosts.split(',').map((hostAndPort) => {
    const [, host = '', port] = /^(.*?)(?::(\d+))?$/.exec(hostAndPort) ?? []
    return { host, port: Number(port ?? 26379) }
  })
  return {
    sentinels,
    name,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  }
}

/** The Redis client, if REDIS_URL is set. */
export function redis(): Redis | undefined {
  const url = env.REDIS_URL
  if (!url) return
  if (!shared.plinthRedis) {
    const sentinels = parseSentinelUrl(url)
    shared.plinthRedis = sentinels ? new Redis({ ...options, ...sentinels }) : new Redis(url, options)
    shared.plinthRedis.on('error', (error) =>
      log.warn({ error }, 'Redis unavailable; rate limits are counted in PostgreSQL'),
    )
  }
  return shared.plinthRedis
}

/**
 * Waits up to a second for Redis: attempts counted in PostgreSQL until then do not count against the limit in Redis.
 */
export async function connectRedis(): Promise<void> {
  const client = redis()
  if (!client || client.status === 'ready') return
  await new Promise<void>((resolve) => {
    client.once('ready', resolve)
    setTimeout(resolve, timeoutMs(1_000))
  })
}
