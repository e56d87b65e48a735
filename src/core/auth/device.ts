import 'server-only'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { env } from '../env'

/** Seconds: a year. */
export const deviceLifetime = 365 * 24 * 60 * 60

const sign = (userId: string, id: string) =>
  createHmac('sha256', env.AUTH_SECRET).update(`device:${userId}:${id}`).digest('base64url')

/** A value that only this app can make, and that says "this browser has signed in as that person". It opens nothing. */
export function makeDevice(userId: string): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${sign(userId, id)}`
}

/** The device's id, when this person has signed in with it before. */
export function knownDevice(userId: string | undefined, value: string | undefined): string | undefined {
  const [id, signature] = value?.split('.') ?? []
  if (!userId || !id || !signature) return
  const expected = Buffer.from(sign(userId, id))
  const given = Buffer.from(signature)
  return expected.length === given.length && timingSafeEqual(expected, given) ? id : undefined
}
