import 'server-only'
import { createHmac } from 'node:crypto'
import type { QueryConfig } from 'pg'
import { type RateLimiterAbstract, RateLimiterPostgres, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { pool, preparedAs } from '../db/client'
import { env } from '../env'
import { AppError } from '../errors'
import { redis } from './redis'

export interface Limit {
  /** Counts one try; refuses when there were too many. All limits of a request are asked at once. */
  consume(key: string): Promise<void>
  /** Forgets the tries, after one that went well. */
  reset(key: string): Promise<void>
}

/**
 * At most `points` tries in `seconds`, over all nodes. Counted in Redis when there is one, and in PostgreSQL when there is
 * none or while it is away.
 */
export function defineLimit(name: string, { points, seconds }: { points: number; seconds: number }): Limit {
  let limiter: RateLimiterAbstract | undefined
  const open = () => {
    // Who was refused once is refused by this node without asking again, also when the store is gone by then.
    const options = { keyPrefix: name, points, duration: seconds, inMemoryBlockOnConsumed: points + 1 }
    const inPostgres = new RateLimiterPostgres({
      ...options,
      // Its queries have names, which a pooler in transaction mode does not bear.
      storeClient: {
        query: ({ name, text, values }: QueryConfig & { name: string }) =>
          pool.query({ name: preparedAs(name), text, values }),
      },
      storeType: 'pool',
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
    })
    const client = redis()
    if (!client) return inPostgres
    return new RateLimiterRedis({
      ...options,
      storeClient: client,
      insuranceLimiter: inPostgres,
      rejectIfRedisNotReady: true,
    })
  }
  const current = () => {
    limiter ??= open()
    return limiter
  }
  return {
    consume: async (key) => {
      try {
        await current().consume(digest(key))
      } catch (reason) {
        if (!(reason instanceof RateLimiterRes)) throw reason
        const retryAfter = Math.max(1, Math.ceil(reason.msBeforeNext / 1000))
        throw new AppError('rate_limited', `Too many tries. Try again in ${inWords(retryAfter)}`, { retryAfter })
      }
    },
    reset: async (key) => {
      await current().delete(digest(key))
    },
  }
}

/** Keys are made from addresses of people: who reads the counters cannot learn them, not even by guessing. */
const digest = (key: string) => createHmac('sha256', env.AUTH_SECRET[0]).update(`limit:${key}`).digest('base64url')

function inWords(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  const hours = Math.ceil(minutes / 60)
  return hours === 1 ? '1 hour' : `${hours} hours`
}
