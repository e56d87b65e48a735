// Invariants for every response of the whole run, checked on each call regardless of what a check tests.

import { createHash } from 'node:crypto'
import { root } from '../../../scripts/root.ts'
import { appSlug } from '../../../src/brand.ts'
import type { HttpResponse } from './http-response.ts'

/** Must appear in no response and in no log line. */
const secrets = new Set<string>()
/** Session tokens: set in cookies on purpose, but must appear in no log line. */
const tokens = new Set<string>()

export function registerSecret(...values: string[]): void {
  // Short values would match ordinary text.
  for (const value of values) if (value.length >= 12) secrets.add(value)
}

function registerToken(token: string): void {
  if (token.length < 40 || tokens.has(token)) return
  tokens.add(token)
  const hash = createHash('sha256').update(token)
  const digest = hash.digest()
  for (const encoding of ['hex', 'base64', 'base64url'] as const) secrets.add(digest.toString(encoding))
}

const table = String.raw`\\?"(users|passwords|sessions|accounts|rate_limits)\\?"`
const leakPatterns: [what: string, pattern: RegExp][] = [
  ['a password hash', /\$argon2|password_?hash/i],
  ['a stack frame', /\bat .{1,200}\(.{1,200}:\d+:\d+\)/],
  ['a database URL', /postgres(ql)?:\/\//i],
  ['SQL', new RegExp(`\\b(select|from|into|join|update)\\s+${table}|${table}\\.\\\\?"`, 'i')],
]

/** Every violation of G1 in a text that a caller can see. */
function findLeaks(text: string): string[] {
  const found = leakPatterns.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)
  if (text.includes(root)) found.push('a path of this machine')
  for (const secret of secrets) if (text.includes(secret)) found.push(`the secret ${secret.slice(0, 4)}…`)
  return found
}

const privatePaths = /^\/(api\/auth|api\/account|api\/demo\/admin|account|admin|dashboard|signin)([/?#]|$)/

function findProblemShapeError(response: HttpResponse): string | undefined {
  const body = response.json()
  const expected = ['code', 'detail', 'instance', 'status', 'title', 'type']
  const names = Object.keys(body).filter((name) => name !== 'errors')
  if (names.sort().join() !== expected.join()) return `a problem with the fields ${names}`
  if (body.status !== response.status) return `a problem that says ${body.status} in a response of ${response.status}`
  if (!/^[a-z_]+$/.test(body.code)) return `a problem with the code ${body.code}`
  if (body.code === 'rate_limited' && !(Number(response.headers['retry-after']) >= 1)) return '429 without Retry-After'
  if (body.code === 'unavailable' && !response.headers['retry-after']) return '503 without Retry-After'
}

function cookieProblems(line: string, isSecure: boolean): string[] {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim().toLowerCase())
  const name = pair.split('=')[0] ?? ''
  const problems: string[] = []
  if (!attributes.includes('path=/')) problems.push('no Path=/')
  if (attributes.some((attribute) => attribute.startsWith('domain'))) problems.push('a Domain')
  if (!attributes.some((attribute) => attribute.startsWith('samesite='))) problems.push('no SameSite')
  // Pages read this cookie to show the right link; it grants nothing.
  if (!attributes.includes('httponly') && !name.endsWith(`${appSlug}.signed-in`)) problems.push('no HttpOnly')
  if (attributes.includes('secure') !== isSecure) problems.push(isSecure ? 'no Secure' : 'Secure over http')
  if (isSecure && !name.startsWith('__host-')) problems.push('no __Host-')
  return problems.map((problem) => `the cookie ${name} has ${problem}`)
}

/** Normalizes a path like a browser: doubled slashes, dot segments, a trailing slash. */
function normalizePath(path: string): string {
  const [name = ''] = path.split('?')
  const merged = name.replace(/[\\/]+/g, '/')
  const { pathname } = new URL(URL.canParse(merged, 'http://x') ? merged : '/', 'http://x')
  return pathname.replace(/(.)\/$/, '$1')
}

interface Expected {
  isSecure: boolean
  /** The response came through a proxy, which rejects some requests with its own text. */
  isProxied: boolean
  allow500: boolean
}

let checkedCount = 0
/** Number of responses checked. */
export const checkedResponseCount = () => checkedCount

/** Checks G1 to G7. Node's own response to malformed HTTP has hardly any headers, so it is exempt from most of them. */
export function findViolations(response: HttpResponse, path: string, expected: Expected): string[] {
  checkedCount++
  const { status, headers, text } = response
  const found = [...findLeaks(text), ...findLeaks(response.head)].map((what) => `G1: it shows ${what}`)
  const fail = (oracle: string, what: string) => found.push(`${oracle}: ${what}`)

  if (headers['x-powered-by']) fail('G4', `X-Powered-By: ${headers['x-powered-by']}`)
  if (/\d/.test(headers.server ?? '')) fail('G4', `Server: ${headers.server}`)
  if (status === 500 && !expected.allow500) fail('G7', 'status 500')
  for (const line of response.setCookies) {
    for (const problem of cookieProblems(line, expected.isSecure)) fail('G5', problem)
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
    if (/session$/.test(name)) registerToken(value)
  }
  // A redirect by Next to the normalized form of the same path (slashes, a missing _rsc) is exempt.
  const target = (headers.location ?? '').split('?')[0]
  const isNormalizingRedirect = [307, 308].includes(status) && target === normalizePath(path)
  const isNodeError =
    [400, 431].includes(status) && text === '' && headers.connection === 'close' && !headers['content-type']
  // HAProxy's built-in responses to requests that it cannot parse cannot be configured, so they are exempt too.
  const isProxyError =
    expected.isProxied && status < 500 && /^<html><body><h1>\d{3} [^<>]*<\/h1>[^<>]*<\/body><\/html>\s*$/.test(text)
  if (expected.isProxied ? isProxyError : isNodeError) return found

  if (headers['x-content-type-options'] !== 'nosniff' && !isNormalizingRedirect)
    fail('G2', 'no X-Content-Type-Options: nosniff')
  const names = response.head.split('\n').map((line) => line.split(':')[0]?.toLowerCase() ?? '')
  const repeated = names.filter(
    (name, index) => names.indexOf(name) < index && !/^(allow|set-cookie|vary|x-nextjs-.*)$/.test(name),
  )
  if (repeated.length > 0) fail('G2', `${repeated} more than once`)
  const isCacheable = !/\bno-store\b/.test(headers['cache-control'] ?? '')
  const isNextError = [400, 405].includes(status) && !path.startsWith('/api/')
  if (
    isCacheable &&
    !isNormalizingRedirect &&
    !isNextError &&
    (privatePaths.test(path) || response.setCookies.length > 0)
  )
    fail('G3', `Cache-Control: ${headers['cache-control']}`)
  const type = headers['content-type'] ?? ''
  // Next sends action results as text/x-component, which is always UTF-8.
  const isText = /^(text\/(?!x-component)|application\/(problem\+)?json)/.test(type)
  // Next's own plain texts have no Content-Type; nosniff prevents browsers from rendering them as HTML.
  if (/[<>]/.test(text) && type === '') fail('G6', 'a body without Content-Type')
  if (text !== '' && isText && !/charset=utf-8/i.test(type)) fail('G6', `Content-Type: ${type}`)
  if (type.startsWith('application/problem+json')) {
    const problem = text === '' ? undefined : findProblemShapeError(response)
    if (problem) fail('G7', problem)
  } else if (expected.isProxied && status >= 400 && type.startsWith('text/plain')) {
    if (isCacheable) fail('G3', `the proxy’s error response may be cached: ${headers['cache-control']}`)
  } else if (status >= 400 && status !== 404 && path.startsWith('/api/auth')) fail('G7', `${status} without a problem`)
  return found
}

/** G9: the server output contains no secret, no token and no password that was used. */
export function findLogLeaks(output: string): string[] {
  const found = /\$argon2id/.test(output) ? ['a password hash'] : []
  for (const secret of [...secrets, ...tokens]) {
    if (!output.includes(secret)) continue
    const line = output.split('\n').find((text) => text.includes(secret)) ?? ''
    found.push(`${secret.slice(0, 6)}… in: ${line.slice(0, 200)}`)
  }
  return found
}
