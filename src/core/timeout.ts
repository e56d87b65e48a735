import { env } from './env'

/** How long to wait before giving up. Tests wait longer (TIMEOUT_FACTOR), so that a busy machine does not look like an outage. */
export const timeoutMs = (milliseconds: number): number => milliseconds * env.TIMEOUT_FACTOR
