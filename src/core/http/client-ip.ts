import { isIP, isIPv4, isIPv6 } from 'node:net'
import { env } from '../env'
import { requireServerHooks } from './server-hooks'

/** Next gives handlers no access to the socket. harden.ts puts its remote IP into this request header. */
export const socketIpHeader = 'x-plinth-socket-address'

/** Strips the port that some proxies add (`192.0.2.1:5678`, `[2001:db8::1]:5678`) and the `::ffff:` prefix of mapped IPv4. */
const stripPort = (entry: string) =>
  entry
    .trim()
    .replace(/^\[([^\]]*)\](:\d{1,5})?$/, '$1')
    .replace(/^([\d.]+):\d{1,5}$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * The IP of the caller. Each trusted proxy (`TRUSTED_PROXY_HOPS`) has appended one entry to `X-Forwarded-For`; the entries
 * before those can be forged by the caller, so the n-th entry from the right counts.
 */
export function clientIp(headers: Headers, hops: number = env.TRUSTED_PROXY_HOPS): string {
  requireServerHooks()
  const socket = stripPort(headers.get(socketIpHeader) ?? '')
  if (hops === 0) return socket || 'unknown'
  const chain = (headers.get('x-forwarded-for') ?? '').split(',').map(stripPort)
  const ip = chain.at(-hops) ?? ''
  return isIPv4(ip) || isIPv6(ip) ? ip : socket || 'unknown'
}

/** IP and user agent of the caller, as stored with sessions and audit events. */
export interface ClientInfo {
  /** Null when it is not known. */
  ip: string | null
  userAgent: string | null
}

export function getClientInfo(headers: Headers): ClientInfo {
  const ip = clientIp(headers)
  return { ip: isIP(ip) ? ip : null, userAgent: headers.get('user-agent')?.slice(0, 400) ?? null }
}

/** The key for rate limits: an IPv6 user usually controls a whole /64, so the group is the /64 network. */
export function ipGroup(ip: string): string {
  if (!isIPv6(ip)) return ip
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? []
  const start = head.split(':').filter(Boolean)
  const end = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - start.length - end.length)).fill('0')
  const groups = [...start, ...zeros, ...end].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}
