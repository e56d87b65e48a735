import { BlockList, isIP } from 'node:net'
import { ipGroup } from '../http/client-ip'

const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
]
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** Describes a user agent: "Chrome on Windows". Only for display; nothing is decided by it. */
export function describeUserAgent(userAgent: string | null): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}

const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, prefix, 'ipv6')

/**
 * Describes the network of an IP, without any geolocation lookup. `here` is the IP of the user who is looking, to name their
 * own network.
 */
export function describeNetwork(ip: string | null, viewerIp: string | null): string {
  if (!ip) return 'Unknown location'
  if (viewerIp && ipGroup(ip) === ipGroup(viewerIp)) return `${ip} · same network as you`
  if (privateNetworks.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')) return `${ip} · private network`
  return ip
}
