import 'server-only'
import { createHmac } from 'node:crypto'
import { env } from '../env'
import { AppError } from '../errors'
import { addToCounts, type StoredCount, takeFromCounts } from './store'

export interface Limit {
  /**
   * The limit for one subject, for the functions below, which take several in one round trip. An attempt that does a thing several
   * times, such as sending emails, counts as many `attempts`.
   */
  of(subject: string, attempts?: number): Count
  /** Counts one attempt; throws `rate_limited` if there were too many. Costs one round trip to the store. */
  consume(subject: string): Promise<void>
  /** Counts one attempt; returns whether it was within the limit. */
  tryConsume(subject: string): Promise<boolean>
  /** Call it after a successful attempt: deletes the count, or if the limit has `successes`, makes the attempt count less. */
  forgive(subject: string): Promise<void>
}

interface Count extends StoredCount {
  /** Beyond the limit, `consumeAll` returns false instead of throwing. */
  isSilent?: boolean
  refund: number
  rejections: Map<string, { endsAt: number; recheckAt: number }>
  pending: Map<string, Promise<unknown>>
}

interface LimitOptions {
  points: number
  seconds: number
  /**
   * Maximum number of successful attempts in the same time, a multiple of `points`. A success counts less, but never
   * zero.
   */
  successes?: number
}

/**
 * Rate limit: at most `points` attempts in `seconds`, across all nodes. Counted in Redis if it is configured and
 * available, else in PostgreSQL.
 */
export function defineLimit(name: string, { points, seconds, successes = points }: LimitOptions): Limit {
  const cost = successes / points
  const state = {
    // Caches rejections on this node, so that a flood does not contend for one row of the store. A limit of up to a
    // minute is cached until it ends, even if the store is down; a longer one for a second, because another node may
    // reset the count.
    rejections: new Map(),
    // Serializes the attempts of one subject on this node: they would wait for the same row anyway, each with a
    // connection. So a flood uses one connection and stops at the first rejection. If the store fails, all waiting
    // attempts fail.
    pending: new Map(),
  }
  const of = (subject: string, attempts = 1): Count => ({
    key: `${name}:${hashSubject(subject)}`,
    cost: cost * attempts,
    max: successes,
    seconds,
    refund: cost - 1,
    ...state,
  })
  return {
    of,
    consume: async (subject) => void (await consumeAll(of(subject))),
    tryConsume: (subject) => consumeAll(silent(of(subject))),
    forgive: (subject) => forgiveAll(of(subject)),
  }
}

/** Beyond this limit, `consumeAll` returns false instead of throwing. */
export const silent = (count: Count): Count => ({ ...count, isSilent: true })

/**
 * Counts one attempt against several limits, in this order, in one round trip. An attempt that a limit rejects does not
 * count against the limits after it. Throws `rate_limited`, or returns false if it was a silent limit.
 */
export async function consumeAll(...counts: Count[]): Promise<boolean> {
  const rejection = await serialize(counts, () => countAttempt(counts))
  if (!rejection) return true
  if (rejection.count.isSilent) return false
  const retryAfter = Math.max(1, Math.ceil((rejection.endsAt - Date.now()) / 1000))
  throw new AppError('rate_limited', `Too many attempts. Try again in ${formatDuration(retryAfter)}.`, { retryAfter })
}

/** After a successful attempt, as `forgive`, in one round trip. */
export async function forgiveAll(...counts: Count[]): Promise<void> {
  for (const { key, refund, rejections } of counts) if (refund === 0) rejections.delete(key)
  await takeFromCounts(counts)
}

async function serialize<T>(counts: Count[], work: () => Promise<T>): Promise<T> {
  const before = counts.flatMap(({ key, pending }) => pending.get(key) ?? [])
  const attempt = before.length > 0 ? Promise.all(before).then(work) : work()
  for (const { key, pending } of counts) pending.set(key, attempt)
  try {
    return await attempt
  } finally {
    for (const { key, pending } of counts) if (pending.get(key) === attempt) pending.delete(key)
  }
}

interface Rejected {
  count: Count
  endsAt: number
}

async function countAttempt(counts: Count[]): Promise<Rejected | null> {
  const cached = counts.findIndex(isRejectionCached)
  const toAdd = cached === -1 ? counts : counts.slice(0, cached)
  const rejection = toAdd.length > 0 ? await addToCounts(toAdd) : null
  const count = counts[rejection?.index ?? cached]
  if (!count) return null
  if (rejection) rememberRejection(count, Date.now() + rejection.millisecondsLeft)
  return { count, endsAt: count.rejections.get(count.key)?.endsAt ?? 0 }
}

function isRejectionCached({ key, rejections }: Count): boolean {
  if ((rejections.get(key)?.recheckAt ?? 0) > Date.now()) return true
  rejections.delete(key)
  return false
}

/** Maximum number of cached rejections per limit. Clearing them only costs additional queries. */
const maxRejections = 10_000

function rememberRejection({ key, seconds, rejections }: Count, endsAt: number): void {
  if (rejections.size >= maxRejections) rejections.clear()
  rejections.set(key, { endsAt, recheckAt: seconds <= 60 ? endsAt : Math.min(endsAt, Date.now() + 1_000) })
}

/**
 * Subjects contain emails and IPs. A keyed hash keeps them private: the stored keys cannot be guessed without
 * AUTH_SECRET.
 */
const hashSubject = (subject: string) =>
  createHmac('sha256', env.AUTH_SECRET[0]).update(`limit:${subject}`).digest('base64url')

function formatDuration(seconds: number): string {
  if (seconds < 60) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  const hours = Math.ceil(minutes / 60)
  return hours === 1 ? '1 hour' : `${hours} hours`
}
