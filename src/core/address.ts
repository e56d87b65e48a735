import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { env } from './env'

/** Next tells handlers nothing about the socket. This header does; whatever a caller sends under its name is replaced. */
const header = 'x-plinth-socket-address'

/** Called once, when the server starts. Node announces every request before anybody handles it. */
export function noteSocketAddresses(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    request.headers[header] = request.socket.remoteAddress ?? ''
  })
}

const plain = (address: string) => address.trim().replace(/^::ffff:(?=\d+\.)/i, '')

/**
 * Who is calling, as far as the network knows. Each proxy that we run (`TRUSTED_PROXY_HOPS`) has added one entry to the
 * end of `X-Forwarded-For`; what stands before those is whatever the caller liked to write.
 */
export function clientAddress(headers: Headers, hops: number = env.TRUSTED_PROXY_HOPS): string {
  const socket = plain(headers.get(header) ?? '')
  if (hops === 0) return socket || 'unknown'
  const chain = (headers.get('x-forwarded-for') ?? '').split(',').map(plain)
  const address = chain.at(-hops) ?? ''
  return isIPv4(address) || isIPv6(address) ? address : socket || 'unknown'
}

/** Where a request came from, as it is written down. */
export interface Origin {
  /** Null when the network did not tell. */
  ip: string | null
  userAgent: string | null
}

export function originOf(headers: Headers): Origin {
  const address = clientAddress(headers)
  return { ip: isIP(address) ? address : null, userAgent: headers.get('user-agent')?.slice(0, 400) ?? null }
}

/** For counting: somebody who has one IPv6 address has 2^64 of them. */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const start = head.split(':').filter(Boolean)
  const end = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - start.length - end.length)).fill('0')
  const groups = [...start, ...zeros, ...end].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}
