import { BlockList, isIP } from 'node:net'
import { addressGroup } from '../address'

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

/** What a person calls it: "Chrome on Windows". Good enough to recognise one's own; nothing is decided by it. */
export function inWords(userAgent: string | null): string {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'An unknown device'
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
 * Where it is, as far as an address tells: nobody is asked which town it belongs to. `here` is the address of whoever is
 * looking, who knows best where that is.
 */
export function placeInWords(ip: string | null, here: string | null): string {
  if (!ip) return 'At an unknown place'
  if (here && addressGroup(ip) === addressGroup(here)) return `In the network you are in now, ${ip}`
  if (privateNetworks.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')) return `In a private network, ${ip}`
  return `At the address ${ip}`
}
