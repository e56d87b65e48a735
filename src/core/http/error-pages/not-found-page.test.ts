import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { markFailure } from '../failed-pages'
import { hardenHttp } from '../harden'
import { readNotFoundPage } from './not-found-page'

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void
// The copy that `next start` compresses with. It has no types.
const compress: Middleware = createRequire(import.meta.url)('next/dist/compiled/compression')()

/** Long enough to be compressed. */
const padding = '<!-- one of many -->'.repeat(100)
const staticHtml = `<!DOCTYPE html><h1>Page not found</h1>${padding}`
const emptyHtml = `<!DOCTYPE html><html id="__next_error__"><head>${padding}</head><body></body></html>`
const policy = "script-src 'sha256-abc'"
const noncePolicy = "script-src 'nonce-abc'"

/** Writes the files of a build, and returns its folder. */
function writeBuild(meta: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-not-found-'))
  const output = join(folder, '.next', 'server', 'app')
  mkdirSync(output, { recursive: true })
  writeFileSync(join(output, '_not-found.html'), staticHtml)
  writeFileSync(join(output, '_not-found.meta'), JSON.stringify(meta))
  return folder
}
const build = writeBuild({ status: 404, headers: { 'Content-Security-Policy': policy } })

function respond(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
  response.statusCode = Number(searchParams.get('status') ?? 404)
  response.setHeader('Content-Type', searchParams.get('type') ?? 'text/html; charset=utf-8')
  response.setHeader('Content-Security-Policy', searchParams.has('static') ? policy : noncePolicy)
  response.setHeader('Cache-Control', 's-maxage=1')
  response.setHeader('ETag', '"mark"')
  response.setHeader('X-Request-Id', 'the-id')
  if (pathname === '/whole') {
    response.setHeader('Content-Length', emptyHtml.length)
    response.end(emptyHtml)
    return
  }
  // Like Next, which streams a page.
  if (!searchParams.has('unflushed')) response.flushHeaders()
  response.write(emptyHtml.slice(0, 20))
  setTimeout(() => {
    response.write(emptyHtml.slice(20))
    response.end()
  })
}

const server = createServer((request, response) => {
  if (request.url?.includes('plain')) respond(request, response)
  else compress(request, response, () => respond(request, response))
})
beforeAll(async () => {
  hardenHttp(readNotFoundPage(build))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(build, { recursive: true })
})

interface Received {
  status: number | undefined
  headers: IncomingMessage['headers']
  body: Buffer
}

/** Not `fetch`: the bytes on the wire are tested. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Received> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) =>
    sendRequest({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      )
      response.on('error', reject)
    })
      .on('error', reject)
      .end(),
  )
}

const paths = ['/streamed', '/streamed?plain', '/streamed?plain&unflushed', '/whole', '/whole?plain']

describe('the 404 of a page rendered per request is the static page', () => {
  test.each(paths)('%s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, headers, body } = await ask(path, {}, method)
      expect([status, body.toString()]).toEqual([404, staticHtml])
      expect(headers).toMatchObject({
        'content-length': String(body.length),
        'content-security-policy': policy,
        'cache-control': 'private, no-store',
        'x-request-id': 'the-id',
      })
      expect(headers.etag).toBeUndefined()
      expect(headers['content-encoding']).toBeUndefined()
    }
  })

  test.each(['/streamed', '/whole'])('compressed: %s', async (path) => {
    const { headers, body } = await ask(path, { 'Accept-Encoding': 'gzip' })
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(body.length) })
    expect(gunzipSync(body).toString()).toBe(staticHtml)
  })

  test('uncompressed for a client that accepts only another encoding', async () => {
    const { headers, body } = await ask('/streamed', { 'Accept-Encoding': 'deflate' })
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, staticHtml])
  })

  test('without a body for HEAD', async () => {
    const { status, headers, body } = await ask('/streamed', {}, 'HEAD')
    expect([status, headers['content-length'], body.length]).toEqual([404, String(staticHtml.length), 0])
  })

  test('and the connection can be used again', async () => {
    for (let count = 0; count < 3; count++) expect((await ask('/streamed')).body.toString()).toBe(staticHtml)
  })
})

describe('a page that failed because of an outage is a page that tries again', () => {
  test.each(paths.map((path) => `${path}${path.includes('?') ? '&' : '?'}status=500`))('%s', async (path) => {
    for (const encoding of ['identity', 'gzip']) {
      markFailure('the-id', 503)
      const { status, headers, body } = await ask(path, { 'Accept-Encoding': encoding })
      expect(status).toBe(503)
      expect(headers).toMatchObject({
        'retry-after': '5',
        'content-length': String(body.length),
        'cache-control': 'private, no-store',
        'x-request-id': 'the-id',
      })
      expect(headers['content-encoding']).toBeUndefined()
      expect(headers['content-security-policy']).not.toContain('nonce-')
      expect(body.toString()).toMatch(/<h1>Temporarily unavailable<\/h1>[\s\S]*the-id/)
    }
  })

  test('but not for the router of Next, which shows the error inside the page', async () => {
    markFailure('the-id', 503)
    const { status, body } = await ask('/streamed?status=500', { rsc: '1' })
    expect([status, body.toString()]).toEqual([503, emptyHtml])
  })
})

test.each([
  ['/streamed', { rsc: '1' }],
  ['/streamed?static', {}],
  ['/streamed?status=200', {}],
  ['/streamed?status=500', {}],
  ['/whole?type=application/json', {}],
  ['/whole?plain&status=200', {}],
  ['/api/streamed', {}],
])('any other response stays as it is: %s %o', async (path, headers) => {
  const { body, headers: received } = await ask(path, headers)
  expect(body.toString()).toBe(emptyHtml)
  expect(received['cache-control']).toBe('s-maxage=1')
})

test('a build without the page, or without a policy for it, has none', () => {
  expect(readNotFoundPage(tmpdir())).toBeNull()
  const folder = writeBuild({ status: 404 })
  expect(readNotFoundPage(folder)).toBeNull()
  rmSync(folder, { recursive: true })
})
