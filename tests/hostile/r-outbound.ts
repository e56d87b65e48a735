// R. Ways to have the server fetch something, and the optimiser of images, which is off.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { connect } from 'node:net'
import { root } from '../../scripts/root.ts'
import { verdict } from './actions.ts'
import { type Canary, startCanary } from './canary.ts'
import { check } from './checks.ts'
import { someAddress } from './client.ts'
import { password, submit, type World } from './world.ts'

async function withCanary<T>(work: (canary: Canary) => Promise<T>, bytes?: string): Promise<T> {
  const canary = await startCanary(bytes)
  try {
    return await work(canary)
  } finally {
    await canary.stop()
  }
}

/** A connection that is under way when the answer is there would be seen a moment later. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 300))

const off = [400, 404]
const imageOf = (url: string, more = '&w=640&q=75') => `/_next/image?url=${encodeURIComponent(url)}${more}`

check('H-281', 'the optimiser of images is off: whatever is asked of it, it says no, and fetches nothing', (world) =>
  withCanary(async (canary) => {
    const urls = [
      '/icon.svg',
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
          let answer = await world.get(path, { method, headers: { Accept } })
          if (answer.status === 308)
            answer = await world.get(answer.headers.location ?? '', { method, headers: { Accept } })
          assert.ok(off.includes(answer.status), `${path}: ${answer.status}`)
          assert.doesNotMatch(answer.headers['content-type'] ?? '', /^image\//, path)
        }
    await settle()
    assert.equal(canary.count(), 0)
    return `${forms.length} forms`
  }),
)

check('H-282', 'a thousand sizes of an image that was never made take no room', async (world) => {
  const kept = () => globSync('.next/{cache,server}/**/images/**', { cwd: root }).length
  const before = kept()
  const widths = [16, 32, 48, 64, 96, 128, 256, 384, 640, 750, 828, 1080, 1200, 1920, 2048, 3840, 1, 17, 99_999, -1]
  const variants = widths.flatMap((width) =>
    Array.from({ length: 50 }, (_, index) => imageOf('/icon.svg', `&w=${width}&q=${index * 2 + 1}`)),
  )
  const work = async () => {
    for (let path = variants.pop(); path; path = variants.pop()) {
      const { status } = await world.get(path)
      assert.ok(off.includes(status), `${path}: ${status}`)
    }
  }
  const count = variants.length
  await Promise.all(Array.from({ length: 8 }, work))
  assert.equal(kept(), before)
  return `${count} variants`
})

check('H-283', 'what one person may see is not kept as an image for another', async (world) => {
  const [one, other] = [await world.newSession({ role: 'admin' }), await world.newSession()]
  const [{ id }] = await world.query('select id from users where id = $1', [one.id])
  for (const path of [`/api/account/avatars/${id}`, '/api/demo/admin/users', '/account/profile', '/api/auth/session'])
    for (const jar of [one.jar, other.jar, undefined]) {
      const answer = await world.get(imageOf(path), { ...(jar && { jar: jar.copy() }) })
      assert.ok(off.includes(answer.status), `${path}: ${answer.status}`)
      for (const person of [one, other])
        assert.ok(!answer.text.includes(person.email) && !answer.text.includes(person.id))
      // And what says no to one says it to all: nothing of the caller is in it.
      assert.deepEqual(answer.setCookies, [])
    }
})

check('H-284', 'a host that leads elsewhere is not even asked', (world) =>
  withCanary((inside) =>
    withCanary(async (leading) => {
      for (const host of ['127.0.0.1', 'localhost'])
        for (const scheme of ['http', 'https']) {
          const { status } = await world.get(imageOf(`${scheme}://${host}:${leading.port}/picture.png`))
          assert.ok(off.includes(status), String(status))
        }
      // The profile has no address of a picture that the server would fetch.
      const { jar, id } = await world.newSession()
      const image = `http://127.0.0.1:${leading.port}/me.png`
      await submit(world, 'updateProfile', { name: 'Me', image, picture: image, avatar: image }, { jar })
      assert.equal((await world.session(jar)).user.id, id)
      await world.get('/account/profile', { jar })
      await settle()
      assert.deepEqual([leading.count(), inside.count()], [0, 0])
    }, `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${inside.port}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`),
  ),
)

/** Raw bytes, and whatever comes of them within a moment. */
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

check('H-285', 'no header, request line or upgrade makes the server open a connection', (world) =>
  withCanary(async (canary) => {
    const host = `127.0.0.1:${canary.port}`
    const person = await world.newSession()
    const elsewhere: Record<string, string>[] = [
      { Host: host },
      { 'X-Forwarded-Host': host },
      { Host: host, 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'http', Origin: `http://${host}` },
      { Forwarded: `host=${host};proto=http`, 'X-Forwarded-Port': String(canary.port) },
      { 'X-Forwarded-Host': host, Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' },
      { Location: `http://${host}/`, 'X-Middleware-Rewrite': `http://${host}/`, 'X-Nextjs-Rewrite': `http://${host}/` },
    ]
    // Actions that lead on: Next fetches the page that they lead to, from itself.
    const ends = new Set<string>()
    for (const headers of elsewhere) {
      const signedIn = await submit(
        world,
        'signIn',
        { email: person.email, password, callbackUrl: '/dashboard' },
        { headers, address: someAddress(), may500: true },
      )
      const ended = await submit(world, 'endOtherDevices', {}, { jar: person.jar.copy(), headers, may500: true })
      for (const answer of [signedIn, ended]) {
        ends.add(verdict(answer))
        assert.ok(!answer.head.includes(host), answer.head)
      }
    }
    assert.ok(ends.has('to /account/devices'), `no action led on: ${[...ends]}`)
    // Pages behind proxy.ts: what a caller says in headers is not said back, nor followed.
    const mark = crypto.randomUUID()
    for (const headers of [...elsewhere, { 'X-Probe': mark, 'X-Middleware-Override-Headers': 'x-probe' }])
      for (const path of ['/signin', '/dashboard', '/', '/nonexistent']) {
        const answer = await world.get(path, { headers: headers as Record<string, string> })
        assert.ok(!answer.head.includes(mark) && !answer.head.includes(host), `${path}\n${answer.head}`)
      }
    const upgrade = `Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\n`
    for (const line of [`http://${host}/`, '/', '/_next/webpack-hmr', `//${host}/`, `/\\${host}/`, `@${host}/`])
      for (const name of [host, new URL(world.app.url).host]) {
        const text = await sendRaw(world, `GET ${line} HTTP/1.1\r\nHost: ${name}\r\n${upgrade}\r\n`)
        assert.doesNotMatch(text, /^HTTP\/1\.1 101/, line)
      }
    await settle()
    assert.equal(canary.count(), 0, 'the server opened a connection')
    assert.equal((await world.get('/api/health')).status, 200)
    return `actions ended with ${[...ends].join(', ')}`
  }),
)
