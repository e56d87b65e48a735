import { randomBytes } from 'node:crypto'

/** A random client IP. From 16 million, because two tests with the same one would count against the same rate limits. */
export const randomIp = (): string => ['10', ...randomBytes(3)].join('.')
