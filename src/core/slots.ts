import { AppError } from './errors'

/**
 * Limits concurrent costly work on this node: `max` in total, and one per user. Take the slot before the work reads anything
 * into memory, and call the function that `take` returns when it is done.
 * @public For modules with costly work.
 */
export function defineSlots(workName: string, max: number): { take(userId: string): () => void } {
  const taken = new Map<string, symbol>()
  return {
    take: (userId) => {
      if (taken.has(userId)) {
        const message = `Your last ${workName} is still running. Try again when it’s done.`
        throw new AppError('rate_limited', message, { retryAfter: 5 })
      }
      if (taken.size >= max)
        throw new AppError('unavailable', `Too many ${workName}s are running. Try again in a moment.`)
      const slot = Symbol(workName)
      taken.set(userId, slot)
      // A second call must not free the slot that the user has taken since.
      return () => void (taken.get(userId) === slot && taken.delete(userId))
    },
  }
}
