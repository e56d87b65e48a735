import { z } from 'zod'
import type { Rule } from '../define-env'

const isSafeUrl = (value: string) => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isLocalhost = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return (protocol === 'https:' || (protocol === 'http:' && isLocalhost)) && !(username || password || search || hash)
}

/**
 * The setting with the URL of a bucket, without a slash at its end.
 * @public For modules that store files.
 */
export const bucketUrl = z
  .string()
  .refine(isSafeUrl, 'is not an https URL with nothing but a host and a path')
  .transform((value) => value.replace(/\/+$/, ''))
  .optional()

/**
 * The four settings of a bucket are set completely, or not at all.
 * @public For modules that store files.
 */
export const bucketRule =
  (...names: [string, string, string, string]): Rule =>
  (source) => {
    const missing = names.filter((name) => !source[name])
    if (missing.length === names.length) return []
    return missing.map((name) => ({ name, message: `is missing. A bucket needs ${names.join(', ')}, or none of them` }))
  }
