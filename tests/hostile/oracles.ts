// What must hold for every answer of the whole run, whatever a check asks. Each check tests these too.
import { createHash } from 'node:crypto'
import { root } from '../../scripts/root.ts'
import type { Answer } from './client.ts'

/** In no answer and in no line of the log. */
const secrets = new Set<string>()
/** Handed out on purpose, in cookies; in no line of the log all the same. */
const tokens = new Set<string>()

export function keepSecret(...values: string[]): void {
  // A short one would be found in innocent words.
  for (const value of values) if (value.length >= 12) secrets.add(value)
}

function keepToken(token: string): void {
  if (token.length < 40 || tokens.has(token)) return
  tokens.add(token)
  const hash = createHash('sha256').update(token)
  const digest = hash.digest()
  for (const encoding of ['hex', 'base64', 'base64url'] as const) secrets.add(digest.toString(encoding))
}

const tables = 'users|passwords|sessions|accounts|rate_limits'
const leaks: [what: string, pattern: RegExp][] = [
  ['a password hash', /\$argon2|password_?hash/i],
  ['a stack frame', /\bat .{1,200}\(.{1,200}:\d+:\d+\)/],
  ['an address of the database', /postgres(ql)?:\/\//i],
  ['SQL', new RegExp(`\\b(select|insert|update|delete)\\b.{1,300}"(${tables})"`, 'i')],
]

/** Every breach of G1 in a text that somebody outside can see. */
function leaksIn(text: string): string[] {
  const found = leaks.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)
  if (text.includes(root)) found.push('a path of this machine')
  for (const secret of secrets) if (text.includes(secret)) found.push(`the secret ${secret.slice(0, 4)}…`)
  return found
}

const isPrivate = /^\/(api\/auth|api\/account|api\/demo\/admin|account|admin|dashboard|signin)([/?#]|$)/

function problemShape(answer: Answer): string | undefined {
  const body = answer.json()
  const expected = ['code', 'detail', 'instance', 'status', 'title', 'type']
  const names = Object.keys(body).filter((name) => name !== 'errors')
  if (names.sort().join() !== expected.join()) return `a problem with the fields ${names}`
  if (body.status !== answer.status) return `a problem that says ${body.status} in an answer of ${answer.status}`
  if (!/^[a-z_]+$/.test(body.code)) return `a problem with the code ${body.code}`
  if (body.code === 'rate_limited' && !(Number(answer.headers['retry-after']) >= 1)) return '429 without Retry-After'
  if (body.code === 'unavailable' && !answer.headers['retry-after']) return '503 without Retry-After'
}

function cookieFaults(line: string, isSecure: boolean): string[] {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim().toLowerCase())
  const name = pair.split('=')[0] ?? ''
  const faults: string[] = []
  if (!attributes.includes('path=/')) faults.push('no Path=/')
  if (attributes.some((attribute) => attribute.startsWith('domain'))) faults.push('a Domain')
  if (!attributes.some((attribute) => attribute.startsWith('samesite='))) faults.push('no SameSite')
  // Pages read this one to show the right link; it opens nothing.
  if (!attributes.includes('httponly') && !name.endsWith('plinth.signed-in')) faults.push('no HttpOnly')
  if (attributes.includes('secure') !== isSecure) faults.push(isSecure ? 'no Secure' : 'Secure over http')
  if (isSecure && !name.startsWith('__host-')) faults.push('no __Host-')
  return faults.map((fault) => `the cookie ${name} has ${fault}`)
}

/** An address without what a browser would take out of it: doubled slashes, dots, a slash at the end. */
function plainly(path: string): string {
  const [name = ''] = path.split('?')
  const merged = name.replace(/[\\/]+/g, '/')
  const { pathname } = new URL(URL.canParse(merged, 'http://x') ? merged : '/', 'http://x')
  return pathname.replace(/(.)\/$/, '$1')
}

interface Expected {
  isSecure: boolean
  /** A proxy was asked, which refuses some requests in words of its own. */
  isProxied: boolean
  may500: boolean
}

let judged = 0
/** How many answers were looked at. */
export const answersJudged = () => judged

/** G1 to G7, as our contract has them. An answer that is Node's own refusal of broken HTTP has no headers to speak of. */
export function breaches(answer: Answer, path: string, expected: Expected): string[] {
  judged++
  const { status, headers, text } = answer
  const found = [...leaksIn(text), ...leaksIn(answer.head)].map((what) => `G1: it shows ${what}`)
  const fail = (oracle: string, what: string) => found.push(`${oracle}: ${what}`)

  if (headers['x-powered-by']) fail('G4', `X-Powered-By: ${headers['x-powered-by']}`)
  if (/\d/.test(headers.server ?? '')) fail('G4', `Server: ${headers.server}`)
  if (status === 500 && !expected.may500) fail('G7', 'status 500')
  for (const line of answer.setCookies) {
    for (const fault of cookieFaults(line, expected.isSecure)) fail('G5', fault)
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
    if (/session$/.test(name)) keepToken(value)
  }
  // Next leads to another spelling of the same address (slashes, a missing _rsc): nobody's affair.
  const target = (headers.location ?? '').split('?')[0]
  const isRespelled = [307, 308].includes(status) && target === plainly(path)
  const isBare =
    [400, 431].includes(status) && text === '' && headers.connection === 'close' && !headers['content-type']
  // So are HAProxy's words for a request that it cannot read at all: nobody can set them.
  const isUnread =
    expected.isProxied && status < 500 && /^<html><body><h1>\d{3} [^<>]*<\/h1>[^<>]*<\/body><\/html>\s*$/.test(text)
  if (expected.isProxied ? isUnread : isBare) return found

  if (headers['x-content-type-options'] !== 'nosniff' && !isRespelled) fail('G2', 'no X-Content-Type-Options: nosniff')
  const names = answer.head.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '')
  const repeated = names.filter(
    (name, index) => names.indexOf(name) < index && !/^(allow|set-cookie|vary|x-nextjs-.*)$/.test(name),
  )
  if (repeated.length > 0) fail('G2', `${repeated} more than once`)
  const isStored = !/\bno-store\b/.test(headers['cache-control'] ?? '')
  const isNextsRefusal = [400, 405].includes(status) && !path.startsWith('/api/')
  if (isStored && !isRespelled && !isNextsRefusal && (isPrivate.test(path) || answer.setCookies.length > 0))
    fail('G3', `Cache-Control: ${headers['cache-control']}`)
  const type = headers['content-type'] ?? ''
  // Next sends what actions answer as text/x-component, which is UTF-8 by its nature.
  const isText = /^(text\/(?!x-component)|application\/(problem\+)?json)/.test(type)
  // Next's own words come without a type; nosniff keeps a browser from making a page of them.
  if (/[<>]/.test(text) && type === '') fail('G6', 'a body without Content-Type')
  if (text !== '' && isText && !/charset=utf-8/i.test(type)) fail('G6', `Content-Type: ${type}`)
  if (type.startsWith('application/problem+json')) {
    const fault = text === '' ? undefined : problemShape(answer)
    if (fault) fail('G7', fault)
  } else if (expected.isProxied && status >= 400 && type.startsWith('text/plain')) {
    if (isStored) fail('G3', `the proxy’s refusal may be kept: ${headers['cache-control']}`)
  } else if (status >= 400 && status !== 404 && path.startsWith('/api/auth')) fail('G7', `${status} without a problem`)
  return found
}

/** G9: what the servers wrote holds no secret, no token and no password that was used. */
export function leaksInLog(output: string): string[] {
  const found = /\$argon2id/.test(output) ? ['a password hash'] : []
  for (const secret of [...secrets, ...tokens]) {
    if (!output.includes(secret)) continue
    const line = output.split('\n').find((text) => text.includes(secret)) ?? ''
    found.push(`${secret.slice(0, 6)}… in: ${line.slice(0, 200)}`)
  }
  return found
}
