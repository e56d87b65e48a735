// H-182: proxy.ts sets headers and decides nothing. The build once more, without it.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { everyDoor } from '../matrix/doors.ts'
import { startServer } from '../support/server.ts'
import { verdict } from './actions.ts'
import { check } from './checks.ts'
import { call, Jar } from './client.ts'
import { image, submit } from './world.ts'

/** A folder with the build, from which Next has no reason to believe that there ever was a proxy. */
function buildWithoutProxy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-without-proxy-'))
  for (const name of ['node_modules', 'package.json', 'next.config.ts', 'tsconfig.json'])
    symlinkSync(join(root, name), join(folder, name))
  cpSync(join(root, '.next'), join(folder, '.next'), {
    recursive: true,
    filter: (path) => !/\.next\/(cache|dev)(\/|$)|server\/middleware(\.js|\/|$)/.test(path),
  })
  const file = join(folder, '.next', 'server', 'functions-config-manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  assert.ok(manifest.functions['/_middleware'], 'the build has no proxy that could be taken out')
  delete manifest.functions['/_middleware']
  writeFileSync(file, JSON.stringify(manifest))
  return folder
}

check('H-182', 'without proxy.ts every action, handler and page decides as with it', async (world) => {
  const folder = buildWithoutProxy()
  const node = await startServer('start', world.env, { folder })
  try {
    // Its headers are what is missing: nothing else may be.
    const bare = await fetch(`${node.url}/signin`)
    assert.ok(!bare.headers.get('content-security-policy')?.includes('nonce-'))
    const viewer = await world.newSession()
    const before = await image(world)
    const doors = (await everyDoor()).filter(({ access }) => access !== 'public')
    for (const { kind, name, access, method = 'GET', address = '/' } of doors) {
      const isForViewers = access !== 'public' && access.roles.includes('viewer')
      for (const jar of [new Jar(), ...(isForViewers ? [] : [viewer.jar.copy()])]) {
        const expected = jar.token ? 'forbidden' : 'unauthenticated'
        if (kind === 'action') {
          assert.equal(verdict(await submit(world, name, {}, { jar, node })), expected, name)
          continue
        }
        const path = address.replaceAll(/\[\w+\]/g, crypto.randomUUID())
        const body = kind === 'page' || ['GET', 'HEAD'].includes(method) ? {} : { body: {} }
        const { status, headers } = await call(node.url, path, { method, jar, ...body })
        if (kind === 'handler') assert.equal(status, jar.token ? 403 : 401, name)
        else if (jar.token) assert.equal(status, 404, name)
        else assert.match(headers.location ?? '', /^\/signin/, name)
      }
    }
    assert.equal(await image(world), before)
    return `${doors.length} doors`
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
