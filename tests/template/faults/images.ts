// Large photos, many at once, and a bucket that dies while they are stored.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../../scripts/root.ts'
import { bucketClient } from '../../app/support/bucket.ts'
import { assertFast, checkModule } from '../../app/support/checks.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import type { RunningServer } from '../../app/support/server.ts'
import type { World } from '../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from '../security/support/isolated-app.ts'
import { measureLatencies } from '../security/support/latency.ts'
import { addedMemory } from '../security/support/memory.ts'
import { percentile } from '../security/support/statistics.ts'
import { makePhoto } from '../support/photo.ts'
import { startSwift } from '../support/swift.ts'
import { startChaosProxy } from './support/chaos-proxy.ts'
import { waitUntil } from './support/load.ts'

const headersOf = ({ jar }: SignedInUser) => ({ Cookie: String(jar), 'X-Forwarded-For': randomIp() })

/** Uploads a photo. Returns the status and, if it was stored, the id of the image. */
async function upload({ url }: RunningServer, editor: SignedInUser, photo: Buffer) {
  const response = await fetch(`${url}/api/content/images?name=photo.jpg&alt=A+photo`, {
    method: 'POST',
    headers: headersOf(editor),
    body: new Uint8Array(photo),
  })
  const { id } = (await response.json()) as { id?: string }
  return { status: response.status, id }
}

async function pathOf({ pool }: IsolatedApp, id: string | undefined, variant: string): Promise<string> {
  const { rows } = await pool.query('select file_id from content_images where id = $1', [id])
  return `/posts/images/${rows[0].file_id}/${variant}`
}

const get = async ({ url }: RunningServer, editor: SignedInUser, path: string) => {
  const response = await fetch(url + path, { headers: headersOf(editor) })
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength }
}

checkModule(
  'content',
  'H-393',
  'a photo of 12 megapixels is stored and served in under 2 s, and other requests do not wait for it',
  async (world) => {
    const isolated = await isolatedApp(world)
    const [node] = isolated.nodes
    const photo = await makePhoto(4_000, 3_000)
    // The first upload loads the code.
    await upload(node, await isolated.addUser('editor'), await makePhoto(400, 300))
    const times: number[] = []
    const waits: number[] = []
    for (let round = 0; round < 5; round++) {
      const editor = await isolated.addUser('editor')
      waits.push(
        ...(await measureLatencies(node.url, async () => {
          const start = performance.now()
          const { status, id } = await upload(node, editor, photo)
          assert.equal(status, 200)
          const file = await get(node, editor, await pathOf(isolated, id, '1920.avif'))
          times.push(performance.now() - start)
          assert.equal(file.status, 200)
        })),
      )
    }
    const [longest, p99] = [Math.max(...times), percentile(waits, 0.99)]
    const summary = `${(photo.length / 1e6).toFixed(1)} MB stored and served in ${times.map((ms) => ms.toFixed(0)).join(', ')} ms; /api/health meanwhile p50 ${percentile(waits, 0.5).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, ${waits.length} requests`
    assertFast(longest < 2_000, summary)
    assertFast(p99 < 100, summary)
    return summary
  },
)

checkModule(
  'content',
  'H-394',
  'twenty photos uploaded at once need little memory, and all are stored in the end',
  async (world) => {
    const isolated = await isolatedApp(world)
    // Without the image's setting for malloc it would be 350 MB and more.
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
    const malloc = [...dockerfile.matchAll(/^ENV (MALLOC_\w+)=(\d+)$/gm)].map(([, name = '', value]) => [name, value])
    const env = { DATABASE_URL: isolated.databaseUrl, WORKER: 'apart', ...Object.fromEntries(malloc) }
    const node = await world.node('as in the image', env)
    const photo = await makePhoto(4_000, 3_000)
    await upload(node, await isolated.addUser('editor'), photo)
    const editors = await Promise.all(Array.from({ length: 20 }, () => isolated.addUser('editor')))
    let rejected = 0
    const store = async (editor: SignedInUser) => {
      for (;;) {
        const { status } = await upload(node, editor, photo)
        if (status === 200) return
        assert.equal(status, 503)
        rejected++
        await sleep(200)
      }
    }
    const start = performance.now()
    const memory = await addedMemory(node.pid, () => Promise.all(editors.map(store)))
    const summary = `20 photos of ${(photo.length / 1e6).toFixed(1)} MB in ${((performance.now() - start) / 1_000).toFixed(1)} s, ${rejected} times asked to wait; +${memory.toFixed(0)} MB`
    assert.ok(rejected >= 16, summary)
    assert.ok(memory < 300, summary)
    return summary
  },
)

/** A node that stores images in a new bucket through a proxy, and runs the jobs. */
async function nodeWithBucket(world: World, isolated: IsolatedApp) {
  const swift = await startSwift()
  world.atEndOfGroup(swift.stop)
  registerSecret(swift.secret)
  const proxy = await startChaosProxy(Number(new URL(swift.url).port))
  world.atEndOfGroup(proxy.close)
  const bucket = bucketClient({ ...swift, url: `${swift.url}/photos` })
  await bucket.create()
  const node = await world.node('with a bucket', {
    DATABASE_URL: isolated.databaseUrl,
    WORKER: 'inside',
    CONTENT_S3_URL: `http://127.0.0.1:${proxy.port}/photos`,
    CONTENT_S3_REGION: swift.region,
    CONTENT_S3_KEY: swift.key,
    CONTENT_S3_SECRET: swift.secret,
  })
  return { swift, proxy, bucket, node }
}

checkModule(
  'content',
  'H-395',
  'when the bucket is killed during uploads, stored photos stay, and nothing of the others is left',
  async (world) => {
    const isolated = await isolatedApp(world)
    const { swift, proxy, bucket, node } = await nodeWithBucket(world, isolated)
    const photo = await makePhoto(1_600, 1_200)
    const viewer = await isolated.addUser('editor')
    const first = await upload(node, viewer, photo)
    assert.equal(first.status, 200)
    const path = await pathOf(isolated, first.id, '640.webp')
    const statuses = new Map<number, number>()
    let isOver = false
    const keepUploading = async () => {
      while (!isOver) {
        const { status } = await upload(node, await isolated.addUser('editor'), photo)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const uploading = Promise.all(Array.from({ length: 4 }, keepUploading))
    uploading.catch(() => {})
    await waitUntil('some photos are stored', () => (statuses.get(200) ?? 0) >= 3, 60_000)
    // In the middle of a photo: files of it are stored, and the node does not know yet.
    proxy.delay = 1_000
    // Other checks have stored images in this database.
    const countRows = async () =>
      (await isolated.pool.query('select 1 from content_image_files where data is null')).rowCount ?? 0
    await waitUntil('a photo is stored in part', async () => (await bucket.keys()).length > (await countRows()), 60_000)
    await swift.kill()
    await waitUntil('uploads fail', () => (statuses.get(503) ?? 0) >= 4, 60_000)
    isOver = true
    await uploading
    assert.deepEqual([...statuses.keys()].toSorted(), [200, 503])
    assert.deepEqual(
      [(await get(node, viewer, path)).status, (await get(node, viewer, '/api/health')).status],
      [503, 200],
    )

    proxy.delay = 0
    await swift.restart()
    const { rows } = await isolated.pool.query<{ key: string; path: string }>(
      `select 'images/' || file_id || '/' || variant as key, '/posts/images/' || file_id || '/' || variant as path
       from content_image_files where data is null`,
    )
    for (const file of rows) assert.equal((await get(node, viewer, file.path)).status, 200, file.key)
    const orphans = (await bucket.keys()).length - rows.length
    assert.ok(orphans > 0, 'the bucket was not killed in the middle of a photo')
    await isolated.pool.query(`update jobs.job set start_after = now() where name = 'content.forget-files'`)
    const expected = rows.map(({ key }) => key).toSorted()
    await waitUntil(
      'only the files of stored photos are left',
      async () => JSON.stringify((await bucket.keys()).toSorted()) === JSON.stringify(expected),
      60_000,
    )
    return `${statuses.get(200)} photos stored, ${statuses.get(503)} rejected, ${orphans} objects removed`
  },
)
