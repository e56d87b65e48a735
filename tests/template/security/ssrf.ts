// Server-side request forgery, and Next's image optimizer, which is disabled.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { connect } from 'node:net'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { password, type World } from '../../app/support/test-world.ts'
import { type Canary, startCanary } from './support/canary.ts'

async function withCanary<T>(work: (canary: Canary) => Promise<T>, bytes?: string): Promise<T> {
  const canary = await startCanary(bytes)
  try {
    return await work(canary)
  } finally {
    await canary.stop()
  }
}

/** Waits, so that a connection that is still being opened is counted. */
const waitForConnections = () => new Promise((resolve) => setTimeout(resolve, 300))

const rejectedStatuses = [400, 404]
const imageOf = (url: string, more = '&w=640&q=75') => `/_next/image?url=${encodeURIComponent(url)}${more}`

check(
  'H-281',
  'the image optimizer is disabled: it rejects every request and fetches nothing',
  (world) =>
    withCanary(async (canary) => {
      const urls = [
        '/icon',
        '/api/health',
        '/admin',
        `http://127.0.0.1:${canary.port}/x.png`,
        `//127.0.0.1:${canary.port}/x.png`,
        `https://127.0.0.1:${canary.port}/x.avif`,
        `http://localhost:${canary.port}/x.svg`,
        `/\\127.0.0.1:${canary.port}/x.png`,
        `http://[::ffff:127.0.0.1]:${canary.port}/x.png`,
        'http://169.254.169.254/latest/meta-data/',
        'data:image/svg+xml;base64,PHN2Zy8+',
        'file:///etc/passwd',
        '../../package.json',
        '',
      ]
      const forms = urls.flatMap((url) => [imageOf(url), imageOf(url, ''), `/_next/image?url=${url}&w=64&q=1`])
      for (const path of [
        ...forms,
        '/_next/image',
        '/_next/image/',
        '/_next/image?w=1',
        '/_next/image?url=/a&url=/b&w=64',
      ])
        for (const Accept of ['image/avif,image/webp', '*/*'])
          for (const method of ['GET', 'HEAD']) {
            let response = await world.get(path, { method, headers: { Accept } })
            if (response.status === 308)
              response = await world.get(response.headers.location ?? '', { method, headers: { Accept } })
            assert.ok(rejectedStatuses.includes(response.status), `${path}: ${response.status}`)
            assert.doesNotMatch(response.headers['content-type'] ?? '', /^image\//, path)
          }
      await waitForConnections()
      assert.equal(canary.count(), 0)
      return `${forms.length} forms`
    }),
  { full: 'takes long' },
)

check(
  'H-282',
  'a thousand image sizes write nothing to the cache',
  async (world) => {
    const cachedFileCount = () => globSync('.next/{cache,server}/**/images/**', { cwd: root }).length
    const before = cachedFileCount()
    const widths = [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840, 1, 17, 99_999, -1]
    const variants = widths.flatMap((width) =>
      Array.from({ length: 50 }, (_, index) => imageOf('/icon', `&w=${width}&q=${index * 2 + 1}`)),
    )
    const work = async () => {
      for (let path = variants.pop(); path; path = variants.pop()) {
        const { status } = await world.get(path)
        assert.ok(rejectedStatuses.includes(status), `${path}: ${status}`)
      }
    }
    const count = variants.length
    await Promise.all(Array.from({ length: 8 }, work))
    assert.equal(cachedFileCount(), before)
    return `${count} variants`
  },
  { full: 'takes long' },
)

check(
  'H-283',
  'one user’s data is not cached as an image for another',
  async (world) => {
    const [one, other] = [await world.newSession({ role: 'admin' }), await world.newSession()]
    const [{ id }] = await world.query('select id from users where id = $1', [one.id])
    for (const path of [`/api/account/avatars/${id}`, '/api/demo/admin/users', '/account/profile', '/api/auth/session'])
      for (const jar of [one.jar, other.jar, undefined]) {
        const response = await world.get(imageOf(path), { ...(jar && { jar: jar.copy() }) })
        assert.ok(rejectedStatuses.includes(response.status), `${path}: ${response.status}`)
        for (const user of [one, other])
          assert.ok(!response.text.includes(user.email) && !response.text.includes(user.id))
        // The response is the same for every caller.
        assert.deepEqual(response.setCookies, [])
      }
  },
  { full: 'takes long' },
)

check(
  'H-284',
  'a host that redirects is not contacted',
  (world) =>
    withCanary((inside) =>
      withCanary(async (redirecting) => {
        for (const host of ['127.0.0.1', 'localhost'])
          for (const scheme of ['http', 'https']) {
            const { status } = await world.get(imageOf(`${scheme}://${host}:${redirecting.port}/picture.png`))
            assert.ok(rejectedStatuses.includes(status), String(status))
          }
        // The profile accepts no image URL that the server would fetch.
        const { jar, id } = await world.newSession()
        const image = `http://127.0.0.1:${redirecting.port}/me.png`
        await submitAction(world, 'updateProfile', { name: 'Me', image, picture: image, avatar: image }, { jar })
        assert.equal((await world.getSession(jar)).user.id, id)
        await world.get('/account/profile', { jar })
        await waitForConnections()
        assert.deepEqual([redirecting.count(), inside.count()], [0, 0])
      }, `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${inside.port}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
    ),
  { full: 'takes long' },
)

/** Sends raw bytes, and returns what arrives within 1.5 seconds. */
function sendRaw(world: World, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(world.app.url).port), '127.0.0.1', () => socket.write(bytes))
    let text = ''
    const timer = setTimeout(() => socket.destroy(), 1500)
    socket.on('data', (part) => {
      text += part
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.on('error', reject)
  })
}

check(
  'H-285',
  'no header, request line or upgrade makes the server open a connection',
  (world) =>
    withCanary(async (canary) => {
      const host = `127.0.0.1:${canary.port}`
      const user = await world.newSession()
      const elsewhere: Record<string, string>[] = [
        { Host: host },
        { 'X-Forwarded-Host': host },
        { Host: host, 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'http', Origin: `http://${host}` },
        { Forwarded: `host=${host};proto=http`, 'X-Forwarded-Port': String(canary.port) },
        { 'X-Forwarded-Host': host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' },
        {
          Location: `http://${host}/`,
          'X-Middleware-Rewrite': `http://${host}/`,
          'X-Nextjs-Rewrite': `http://${host}/`,
        },
      ]
      // Actions that redirect: Next fetches the target page from itself.
      const outcomes = new Set<string>()
      for (const headers of elsewhere) {
        const signedIn = await submitAction(
          world,
          'signIn',
          { email: user.email, password, callbackUrl: '/dashboard' },
          { headers, ip: randomIp(), allow500: true },
        )
        const ended = await submitAction(
          world,
          'endOtherSessions',
          {},
          { jar: user.jar.copy(), headers, allow500: true },
        )
        for (const response of [signedIn, ended]) {
          outcomes.add(verdict(response))
          assert.ok(!response.head.includes(host), response.head)
        }
      }
      assert.ok(outcomes.has('to /account/sessions'), `no action redirected: ${[...outcomes]}`)
      // Pages behind proxy.ts: request headers are neither echoed nor followed.
      const mark = crypto.randomUUID()
      for (const headers of [...elsewhere, { 'X-Probe': mark, 'X-Middleware-Override-Headers': 'x-probe' }])
        for (const path of ['/signin', '/dashboard', '/', '/nonexistent']) {
          const response = await world.get(path, { headers: headers as Record<string, string> })
          assert.ok(!response.head.includes(mark) && !response.head.includes(host), `${path}\n${response.head}`)
        }
      const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n`
      for (const line of [`http://${host}/`, '/', '/_next/webpack-hmr', `//${host}/`, `/\\${host}/`, `@${host}/`])
        for (const name of [host, new URL(world.app.url).host]) {
          const text = await sendRaw(world, `GET ${line} HTTP/1.1\r\nHost: ${name}\r\n${upgrade}\r\n`)
          assert.doesNotMatch(text, /^HTTP\/1\.1 101/, line)
        }
      await waitForConnections()
      assert.equal(canary.count(), 0, 'the server opened a connection')
      assert.equal((await world.get('/api/health')).status, 200)
      return `actions ended with ${[...outcomes].join(', ')}`
    }),
  { full: 'takes long' },
)
