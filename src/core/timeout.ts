import { env } from './env'

/**
 * How long to wait for something outside of this process. Tests stretch all of these waits with TIMEOUT_FACTOR, so that
 * a busy machine does not look like an outage.
 */
export const timeoutMs = (milliseconds: number): number => milliseconds * env.TIMEOUT_FACTOR
