import 'server-only'
import { Redis } from 'ioredis'
import { env } from '../env'
import { log } from '../log'

const shared = globalThis as { plinthRedis?: Redis }

/** The connection to Redis, when REDIS_URL names one. A server that is away must fail at once, not after its defaults' 15 seconds. */
export function redis(): Redis | undefined {
  const url = env.REDIS_URL
  if (!url) return
  if (!shared.plinthRedis) {
    shared.plinthRedis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 1,
      // A busy node takes an answer that is there for one that is late, and counts that try in PostgreSQL as well.
      commandTimeout: 500,
      connectTimeout: 500,
      retryStrategy: (tries) => Math.min(tries * 100, 2_000),
    })
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
