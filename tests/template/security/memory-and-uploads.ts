// How much memory and time one user can cost a node (exports, bodies, images), and the safety of development
// machines.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32, deflateSync } from 'node:zlib'
import { root } from '../../../scripts/root.ts'
import { findEntryPoints } from '../../app/matrix/entry-points.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule, skip } from '../../app/support/checks.ts'
import { call, open } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { listActions } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from './support/isolated-app.ts'
import { measureLatencies } from './support/latency.ts'
import { addedMemory } from './support/memory.ts'
import { percentile } from './support/statistics.ts'

const events = 200_000

/** A user with a long history, in a separate database. */
async function addVeteran(isolated: IsolatedApp, count: number): Promise<SignedInUser> {
  const member = await isolated.addUser('viewer')
  await isolated.pool.query(
    `insert into audit_events (kind, actor_id, target_id, ip, user_agent, details)
     select 'api_token.created', $1, $1, '10.0.0.1',
       'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36',
       jsonb_build_object('tokenId', gen_random_uuid()::text, 'role', 'viewer', 'days', 7)
     from generate_series(1, $2)`,
    [member.id, count],
  )
  return member
}

const veterans = new WeakMap<IsolatedApp, Promise<SignedInUser>>()
async function sharedVeteran(world: World): Promise<{ isolated: IsolatedApp; member: SignedInUser }> {
  const isolated = await isolatedApp(world)
  if (!veterans.has(isolated)) veterans.set(isolated, addVeteran(isolated, events))
  return { isolated, member: (await veterans.get(isolated)) ?? assert.fail() }
}

/** Not `call`: an archive is not text, and the reader may abort. */
const requestExport = (url: string, { jar }: SignedInUser, init: RequestInit = {}) =>
  fetch(`${url}/api/account/export`, { ...init, headers: { Cookie: String(jar), 'X-Forwarded-For': randomIp() } })

checkModule(
  'account',
  'H-382',
  'an export of 200,000 events is complete, blocks no other request and needs little memory',
  async (world) => {
    const { isolated, member } = await sharedVeteran(world)
    // With a small heap, so that garbage is collected: otherwise the measuring requests would fill it.
    const env = { DATABASE_URL: isolated.databaseUrl, WORKER: 'apart', NODE_OPTIONS: '--max-old-space-size=160' }
    const node = await world.node('with little memory', env)
    // A quarter of it first: it loads the code, and a longer export must not need more memory than a shorter one.
    const shorter = await addVeteran(isolated, events / 4)
    const first = await addedMemory(node.pid, async () => {
      await (await requestExport(node.url, shorter)).arrayBuffer()
    })
    const quiet = percentile(await measureLatencies(node.url, () => pause(2_000)), 0.99)
    let archive = new Uint8Array()
    let waits: number[] = []
    const start = performance.now()
    const memory = await addedMemory(node.pid, async () => {
      waits = await measureLatencies(node.url, async () => {
        const response = await requestExport(node.url, member)
        assert.equal(response.status, 200)
        archive = await response.bytes()
      })
    })
    const seconds = (performance.now() - start) / 1_000
    const { unzipSync } = await import('fflate')
    const activity = JSON.parse(Buffer.from(unzipSync(archive)['activity.json'] ?? []).toString())
    assert.ok(activity.length >= events, `${activity.length} events`)
    const [p50, p99, longest] = [percentile(waits, 0.5), percentile(waits, 0.99), Math.max(...waits)]
    const summary = `${seconds.toFixed(1)} s; /api/health p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${quiet.toFixed(0)} ms before), at most ${longest.toFixed(0)} ms; +${memory.toFixed(0)} MB after +${first.toFixed(0)} MB for a quarter of it`
    // One request after the other: a node that blocks for a second delays only one of them.
    assertFast(p99 < 100 && longest < 1_000, summary)
    assert.ok(memory < 80, summary)
    return summary
  },
  { full: 'measures time or memory' },
)

checkModule(
  'account',
  'H-383',
  'a second concurrent export is rejected; after an aborted one the user can start again',
  async (world) => {
    const { isolated, member } = await sharedVeteran(world)
    const [{ url }] = isolated.nodes
    const caller = new AbortController()
    const first = await requestExport(url, member, { signal: caller.signal })
    const reader = first.body?.getReader() ?? assert.fail()
    await reader.read()
    const second = await requestExport(url, member)
    assert.deepEqual(
      [second.status, second.headers.get('retry-after'), ((await second.json()) as { code: string }).code],
      [429, '5', 'rate_limited'],
    )
    // Other users are not affected.
    const other = await requestExport(url, await isolated.addUser('viewer'))
    assert.equal(other.status, 200)
    await other.arrayBuffer()
    caller.abort()
    const isFree = async () => {
      const response = await requestExport(url, member, { method: 'HEAD' })
      return response.status === 200
    }
    for (const end = Date.now() + 5_000; !(await isFree()); await pause(100))
      assert.ok(Date.now() < end, 'the slot of an aborted export is not free')
    // HEAD does not occupy a slot.
    assert.ok(await isFree(), 'HEAD keeps a slot')
  },
  { full: 'samples races' },
)

const imageMarkdown = [
  '![a](/api/account/export)',
  '![b](/api/admin/users/export?n=1)',
  '![c](/posts/covers/../../api/account/export)',
  '![d](/posts/covers/%2e%2e/%2e%2e/api/account/export)',
  '![e](//evil.example/a.png)',
  '![f](https://evil.example/a.png)',
  '[![g](/signout)](/posts)',
  '![h](/posts/images/../../api/account/export)',
  '![i](/posts/images/00000000-0000-4000-8000-000000000000)',
  '![j](/posts/images/00000000-0000-4000-8000-000000000000/640.webp)',
]

/** Publishes a post of a new editor with that text. */
async function publish(world: World, body: string): Promise<{ id: string; slug: string }> {
  const { jar } = await world.newSession({ role: 'editor' })
  const title = `Pictures ${crypto.randomUUID()}`
  const slug = title.toLowerCase().replaceAll(' ', '-')
  await submitAction(world, 'createPost', { title }, { jar })
  const [{ id }] = await world.query('select id from content_posts where title = $1', [title])
  await submitAction(
    world,
    'savePost',
    { id, version: '1', title, slug, summary: '', tags: '', body, step: 'publish' },
    { jar, path: `/content/${id}` },
  )
  return { id, slug }
}

checkModule('content', 'H-384', 'a published post shows no images except covers and library images', async (world) => {
  const cover = `/posts/covers/${crypto.randomUUID()}`
  const { slug } = await publish(world, [...imageMarkdown, `![z](${cover})`].join('\n\n'))
  const { status, text } = await world.get(`/posts/${slug}`)
  assert.equal(status, 200)
  const shown = [...text.matchAll(/<img[^>]*src="([^"]*)"/g)].map(([, src]) => src)
  assert.deepEqual(
    shown.filter((src) => src !== cover),
    [],
  )
  assert.ok(shown.includes(cover), 'a cover is not shown')
})

check('H-385', 'guarded API routes cannot be embedded in a page, our own included', async (world) => {
  const admin = await world.newSession({ role: 'admin' })
  const exported = () =>
    world.query(`select 1 from audit_events where kind like '%.exported' and actor_id = $1`, [admin.id])
  const guarded = (await findEntryPoints()).filter(
    ({ kind, method, access }) => kind === 'handler' && method === 'GET' && access !== 'public',
  )
  // Pictures are there to be embedded.
  const others = guarded.filter(({ file }) => !readFileSync(join(root, file), 'utf8').includes("file: 'image/"))
  const paths = others.map(({ path = '' }) => path.replace('[scope]', 'no-such-scope'))
  for (const path of paths) {
    for (const destination of ['image', 'script', 'style', 'iframe', 'embed', 'object', 'video', 'font']) {
      const headers = { 'Sec-Fetch-Dest': destination, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'no-cors' }
      const result = await world.get(path, { jar: admin.jar.copy(), headers })
      assert.deepEqual([result.status, result.json().code], [403, 'cross_site'], `${path} as ${destination}`)
    }
    assert.deepEqual(await exported(), [], path)
  }
  for (const path of paths)
    for (const destination of ['document', 'empty']) {
      const headers = { 'Sec-Fetch-Dest': destination, 'Sec-Fetch-Site': 'same-origin' }
      const { status } = await world.get(path, { jar: admin.jar.copy(), headers })
      assert.equal(status, path.includes('no-such-scope') ? 404 : 200, `${path} as ${destination}`)
    }
})

/** Inserts an editor and a draft post into that database. */
async function addPost(isolated: IsolatedApp): Promise<{ editor: SignedInUser; path: string }> {
  const editor = await isolated.addUser('editor')
  const { rows } = await isolated.pool.query(
    `insert into content_posts (author_id, title) values ($1, 'A post') returning id`,
    [editor.id],
  )
  await isolated.pool.query(
    `insert into content_revisions (post_id, number, author_id, title, slug, summary, body, tags)
     values ($1, 1, $2, 'A post', gen_random_uuid()::text, '', '', '{}')`,
    [rows[0].id, editor.id],
  )
  return { editor, path: `/api/content/posts/${rows[0].id}/cover` }
}

/** Sends a body except for its last byte; resolves with the status, or `sent` if there is no response yet. */
function sendAllButLastByte(
  url: string,
  path: string,
  { jar }: SignedInUser,
  body: Buffer,
  abortSignal: AbortSignal,
): Promise<number | 'sent'> {
  return new Promise((resolve) => {
    const headers = {
      Cookie: String(jar),
      'Content-Type': 'image/png',
      'Content-Length': String(body.length + 1),
      'X-Forwarded-For': randomIp(),
    }
    const sending = request(
      `${url}${path}`,
      { method: 'PUT', headers, agent: false, signal: abortSignal },
      (result) => {
        result.resume()
        resolve(result.statusCode ?? 0)
      },
    )
    sending.on('error', () => resolve(0))
    sending.write(body, () => setTimeout(resolve, 300, 'sent'))
  })
}

checkModule(
  'content',
  'H-386',
  'concurrent uploads are limited per user and per node before they are read',
  async (world) => {
    const isolated = await isolatedApp(world)
    const [node] = isolated.nodes
    const body = Buffer.alloc(7_999_999, 7)
    const singleUserPost = await addPost(isolated)
    const others = await Promise.all(Array.from({ length: 10 }, () => addPost(isolated)))
    const leave = new AbortController()
    let results: (number | 'sent')[] = []
    const send = ({ editor, path }: typeof singleUserPost) =>
      sendAllButLastByte(node.url, path, editor, body, leave.signal)
    const memory = await addedMemory(node.pid, async () => {
      const ofEager = Array.from({ length: 30 }, () => send(singleUserPost))
      results = await Promise.race([
        Promise.all([...ofEager, ...others.map(send)]),
        pause(15_000).then((): typeof results => assert.fail('uploads are neither read nor rejected')),
      ])
    })
    leave.abort()
    const acceptedCount = results.filter((result) => result === 'sent').length
    const summary = `${acceptedCount} of ${results.length} uploads of 8 MB under way, +${memory.toFixed(0)} MB`
    assert.ok(acceptedCount <= 4, summary)
    assert.ok(memory < 80, summary)
    // The slots are free again.
    await pause(200)
    const { editor, path } = others[0] ?? assert.fail()
    const result = await call(node.url, path, { method: 'PUT', jar: editor.jar, body: 'no picture' })
    assert.equal(result.status, 422)
    return summary
  },
  { full: 'takes long' },
)

check(
  'H-387',
  'bodies that never end do not fill the memory, and other requests are served',
  async (world) => {
    const isolated = await isolatedApp(world)
    // With a small heap, so that garbage is collected: otherwise it would be counted too.
    const env = { DATABASE_URL: isolated.databaseUrl, WORKER: 'apart', NODE_OPTIONS: '--max-old-space-size=160' }
    const node = await world.node('with little memory', env)
    const { host } = new URL(node.url)
    const id = listActions().find(({ name }) => name === 'signIn')?.id
    const own = `Host: ${host}\r\nOrigin: ${node.url}\r\nContent-Length: 1000000\r\n`
    const heads = [
      `POST /signin HTTP/1.1\r\n${own}Next-Action: ${id}\r\nContent-Type: text/plain;charset=UTF-8\r\n\r\n`,
      `POST /signin HTTP/1.1\r\n${own}Content-Type: multipart/form-data; boundary=x\r\n\r\n`,
    ]
    const body = Buffer.alloc(999_999, 'a')
    const sockets: ReturnType<typeof open>[] = []
    const pending = () => sockets.filter(({ closed }) => !closed).length
    let result: Awaited<ReturnType<typeof call>> | undefined
    const memory = await addedMemory(node.pid, async () => {
      for (let index = 0; index < 1_200; index++) {
        const socket = open(node.url)
        sockets.push(socket)
        socket.on('error', () => {})
        socket.resume()
        socket.write(heads[index % 2] ?? '')
        socket.write(body)
      }
      // 32 MB are 171 bodies of 192 kB, which is what Next reads of each.
      for (let waited = 0; pending() > 171 && waited < 60_000; waited += 100) await pause(100)
      result = await call(node.url, '/api/auth/signin', {
        body: { email: 'nobody@example.com', password: 'x', redirect: false },
      })
    })
    const left = pending()
    const summary = `1200 bodies of 1 MB, ${left} of them still pending; +${memory.toFixed(0)} MB`
    for (const socket of sockets) socket.destroy()
    assert.equal(result?.status, 401, summary)
    assert.ok(left <= 171, summary)
    assert.ok(memory < 250, summary)
    return summary
  },
  { full: 'measures time or memory' },
)

const chunk = (type: string, data: Buffer) => {
  const typed = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

/** One bit per pixel: a few kilobytes whatever its size. */
function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head[8] = 1
  const lines = Buffer.alloc((1 + Math.ceil(width / 8)) * height)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

checkModule(
  'content',
  'H-388',
  'an image with a side of millions of pixels is rejected before it is decoded',
  async (world) => {
    const isolated = await isolatedApp(world)
    const [node] = isolated.nodes
    const { editor, path } = await addPost(isolated)
    const send = (body: Buffer) => call(node.url, path, { method: 'PUT', jar: editor.jar.copy(), body })
    // The first upload loads the library.
    assert.equal((await send(png(64, 64))).status, 200)
    const measured: string[] = []
    for (const [width, height] of [
      [40_000_000, 1],
      [1, 40_000_000],
    ] as const) {
      const picture = png(width, height)
      let milliseconds = 0
      const memory = await addedMemory(node.pid, async () => {
        const result = await send(picture)
        milliseconds = result.milliseconds
        assert.equal(result.status, 422)
        assert.match(result.text, /16,384 pixels/)
      })
      const summary = `${width} x ${height}, ${picture.length} bytes: ${milliseconds.toFixed(0)} ms, +${memory.toFixed(0)} MB`
      assertFast(milliseconds < 1_000, summary)
      assert.ok(memory < 60, summary)
      measured.push(summary)
    }
    return measured.join('; ')
  },
  { full: 'measures time or memory' },
)

/** A registry with packages whose install scripts write a file. */
async function startScriptedRegistry(folder: string, names: string[]) {
  const archives = new Map(
    names.map((name) => {
      const packageFolder = join(folder, name, 'package')
      mkdirSync(packageFolder, { recursive: true })
      const scripts = { postinstall: `node -e "require('fs').writeFileSync('${join(folder, name)}.ran', '')"` }
      writeFileSync(join(packageFolder, 'package.json'), JSON.stringify({ name, version: '1.0.0', scripts }))
      return [name, execFileSync('tar', ['-C', join(folder, name), '-czf', '-', 'package'])] as const
    }),
  )
  const server = createServer((asked, result) => {
    const [, name = '', file] = (asked.url ?? '').split('/')
    const archive = archives.get(name)
    if (!archive) return void result.writeHead(404).end()
    if (file) return void result.end(archive)
    const { port } = server.address() as AddressInfo
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const version = {
      ...JSON.parse(readFileSync(join(folder, name, 'package', 'package.json'), 'utf8')),
      hasInstallScript: true,
      dist: { tarball: `http://127.0.0.1:${port}/${name}/-.tgz`, integrity },
    }
    result.setHeader('Content-Type', 'application/json')
    result.end(JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close().closeAllConnections() }
}

const title = 'installing runs no package scripts, and a new package with a script fails the installation'
if (existsSync(join(root, 'package-lock.json')))
  check('H-389', title, async () => {
    const read = (file: string) => readFileSync(join(root, file), 'utf8')
    const { allowScripts } = JSON.parse(read('package.json'))
    const { '': _, ...locked } = JSON.parse(read('package-lock.json')).packages as Record<
      string,
      { hasInstallScript?: true }
    >
    for (const [path, { hasInstallScript }] of Object.entries(locked))
      if (hasInstallScript) assert.equal(allowScripts?.[path.replace(/^.*node_modules\//, '')], false, path)
    const folder = mkdtempSync(join(tmpdir(), 'plinth-scripts-'))
    const registry = await startScriptedRegistry(folder, ['esbuild', 'newcomer'])
    try {
      const app = join(folder, 'app')
      mkdirSync(app)
      writeFileSync(join(app, '.npmrc'), read('.npmrc'))
      const install = (name: string) => {
        const manifest = { name: 'app', version: '1.0.0', allowScripts, dependencies: { [name]: '1.0.0' } }
        const own = { postinstall: `node -e "require('fs').writeFileSync('own.ran', '')"` }
        writeFileSync(join(app, 'package.json'), JSON.stringify({ ...manifest, scripts: own }))
        const args = ['install', '--registry', registry.url, '--cache', join(folder, 'cache')]
        return promisify(execFile)('npm', args, { cwd: app }).then(
          () => 'installed',
          ({ stderr }) => `rejected: ${stderr}`,
        )
      }
      const known = await promisify(execFile)('npm', ['config', 'get', 'strict-allow-scripts'], { cwd: app })
      if (!/true|false/.test(known.stdout)) return 'this npm is too old to deny scripts'
      // Its script would have replaced this file by a binary.
      const esbuild = readFileSync(join(root, 'node_modules', 'esbuild', 'bin', 'esbuild'))
      assert.equal(esbuild.subarray(0, 2).toString(), '#!', 'a script of a package ran when this project was installed')
      assert.equal(await install('esbuild'), 'installed')
      assert.ok(!existsSync(join(folder, 'esbuild.ran')), 'the script of a package ran')
      assert.ok(existsSync(join(app, 'own.ran')), 'the script of the app itself did not run')
      assert.notEqual(await install('newcomer'), 'installed')
      assert.ok(!existsSync(join(folder, 'newcomer.ran')), 'the script of a new package ran')
    } finally {
      registry.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
else skip('H-389', title, 'there is no package-lock.json')

check('H-390', 'a server with seeded users responds only to local hosts and to hosts in DEV_HOSTS', async (world) => {
  const node = await world.node('as in a preview', { DEV_HOSTS: 'localhost,192.168.1.20' })
  const { port } = new URL(node.url)
  const ask = (host: string, path = '/signin') => call(node.url, path, { headers: { Host: host } })
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    '192.168.1.21',
    '0.0.0.0',
  ])
    for (const path of ['/', '/signin', '/api/auth/session', '/_next/static/x.js']) {
      const result = await ask(host, path)
      assert.deepEqual([result.status, result.json().code], [403, 'forbidden'], `${host}${path}`)
      assert.match(result.text, /DEV_HOSTS=/)
    }
  for (const host of [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    `app.localhost:${port}`,
    '[::1]',
    `192.168.1.20:${port}`,
  ])
    assert.equal((await ask(host)).status, 200, host)
  // In a deployment the proxy checks the Host header.
  assert.equal((await world.get('/signin', { headers: { Host: 'app.example.com' } })).status, 200)
})
