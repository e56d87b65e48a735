import 'server-only'
import type { Redis } from 'ioredis'
import { pool, preparedName } from '../db/client'
import { redis } from './redis'

/** The count of one subject of a limit, as the stores know it. */
export interface StoredCount {
  key: string
  /** What an attempt adds. */
  cost: number
  /** Attempts are rejected above this sum. */
  max: number
  seconds: number
}

interface Rejection {
  /** The position of the count that rejected the attempt. */
  index: number
  millisecondsLeft: number
}

/** Counts in Redis if it is configured and available, else in PostgreSQL. */
async function inStore<T>(inRedis: (client: Redis) => Promise<T>, inPostgres: () => Promise<T>): Promise<T> {
  const client = redis()
  if (client?.status !== 'ready') return inPostgres()
  return inRedis(client).catch(inPostgres)
}

/**
 * Adds an attempt to counts, one after the other, in one round trip. Stops at the first that rejects it. Every caller
 * names counts that it shares with another caller in the same order: two transactions lock their rows in that order.
 */
export const addToCounts = (counts: StoredCount[]): Promise<Rejection | null> =>
  inStore(
    (client) => addInRedis(client, counts),
    () => addInPostgres(counts),
  )

/** Gives points back, in one round trip; 0 deletes the count. */
export const takeFromCounts = (counts: { key: string; refund: number }[]): Promise<void> =>
  inStore(
    (client) => takeInRedis(client, counts),
    () => takeInPostgres(counts),
  )

const addScript = `
for i, key in ipairs(KEYS) do
  local cost, max, seconds = ARGV[3 * i - 2], tonumber(ARGV[3 * i - 1]), ARGV[3 * i]
  redis.call('set', key, 0, 'EX', seconds, 'NX')
  local points = redis.call('incrby', key, cost)
  if redis.call('pttl', key) == -1 then redis.call('expire', key, seconds) end
  if points > max then return { i, redis.call('pttl', key) } end
end
return {}`

async function addInRedis(client: Redis, counts: StoredCount[]): Promise<Rejection | null> {
  const keys = counts.map(({ key }) => key)
  const values = counts.flatMap(({ cost, max, seconds }) => [cost, max, seconds])
  const [position, millisecondsLeft] = (await client.eval(addScript, keys.length, ...keys, ...values)) as number[]
  return position === undefined ? null : { index: position - 1, millisecondsLeft: millisecondsLeft ?? 0 }
}

const takeScript = `
for i, key in ipairs(KEYS) do
  if ARGV[i] == '0' then redis.call('del', key)
  elseif redis.call('exists', key) == 1 then redis.call('decrby', key, ARGV[i]) end
end`

async function takeInRedis(client: Redis, counts: { key: string; refund: number }[]): Promise<void> {
  const keys = counts.map(({ key }) => key)
  await client.eval(takeScript, keys.length, ...keys, ...counts.map(({ refund }) => refund))
}

const now = '(extract(epoch from now()) * 1000)::bigint'

/** One statement for several counts. Each is only added to if the one before it did not reject the attempt. */
function addStatement(length: number): string {
  const parameter = (index: number, position: number) => `$${index * 4 + position}`
  const steps = Array.from({ length }, (_, index) => {
    const isReached = index === 0 ? '' : `from count_${index - 1} where points <= ${parameter(index - 1, 3)}::int`
    return `count_${index} as (
      insert into rate_limits as stored (key, points, expire)
      select ${parameter(index, 1)}::text, ${parameter(index, 2)}::int, ${now} + ${parameter(index, 4)}::bigint * 1000 ${isReached}
      on conflict (key) do update set
        points = case when stored.expire <= ${now} then excluded.points else stored.points + excluded.points end,
        expire = case when stored.expire <= ${now} then excluded.expire else stored.expire end
      returning points, (expire - ${now})::float8 as left_ms)`
  })
  const rejections = Array.from(
    { length },
    (_, index) => `select ${index} as index, left_ms from count_${index} where points > ${parameter(index, 3)}::int`,
  )
  return `with ${steps.join(',\n')} ${rejections.join(' union all ')}`
}

async function addInPostgres(counts: StoredCount[]): Promise<Rejection | null> {
  const { rows } = await pool.query<{ index: number; left_ms: number }>({
    name: preparedName(`add_to_${counts.length}_counts`),
    text: addStatement(counts.length),
    values: counts.flatMap(({ key, cost, max, seconds }) => [key, cost, max, seconds]),
  })
  return rows[0] ? { index: rows[0].index, millisecondsLeft: rows[0].left_ms } : null
}

async function takeInPostgres(counts: { key: string; refund: number }[]): Promise<void> {
  await pool.query({
    name: preparedName('take_from_counts'),
    text: `
      with given as (select * from unnest($1::text[], $2::int[]) with ordinality as given (key, refund, position)),
      locked as (select key, refund from given join rate_limits using (key) order by position for update of rate_limits),
      refunded as (update rate_limits as stored set points = points - refund from locked
        where stored.key = locked.key and refund > 0)
      delete from rate_limits as stored using locked where stored.key = locked.key and refund = 0`,
    values: [counts.map(({ key }) => key), counts.map(({ refund }) => refund)],
  })
}
