// H-182: proxy.ts only sets headers and makes no access decision. Runs the build without it.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { findEntryPoints, isDecidedInApp } from '../../app/matrix/entry-points.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { call, Jar } from '../../app/support/http-client.ts'
import { startServer } from '../../app/support/server.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { snapshotState } from '../../app/support/test-world.ts'

/** A copy of the build with proxy.ts removed from the output and the manifest. */
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
  assert.ok(manifest.functions['/_middleware'], 'the build contains no proxy to remove')
  delete manifest.functions['/_middleware']
  writeFileSync(file, JSON.stringify(manifest))
  return folder
}

check(
  'H-182',
  'without proxy.ts every action, handler and page makes the same access decision',
  async (world) => {
    const folder = buildWithoutProxy()
    const node = await startServer('start', world.env, { folder })
    try {
      // The proxy is really gone: its CSP nonce is missing.
      const bare = await fetch(`${node.url}/signin`)
      assert.ok(!bare.headers.get('content-security-policy')?.includes('nonce-'))
      const viewer = await world.newSession()
      const before = await snapshotState(world)
      const entries = (await findEntryPoints()).filter((entry) => entry.access !== 'public' && isDecidedInApp(entry))
      for (const { kind, name, access, method = 'GET', path: pattern = '/' } of entries) {
        const isForViewers = access !== 'public' && access.roles.includes('viewer')
        for (const jar of [new Jar(), ...(isForViewers ? [] : [viewer.jar.copy()])]) {
          const expected = jar.token ? 'forbidden' : 'unauthenticated'
          if (kind === 'action') {
            assert.equal(verdict(await submitAction(world, name, {}, { jar, node })), expected, name)
            continue
          }
          const path = pattern.replaceAll(/\[\w+\]/g, crypto.randomUUID())
          const body = kind === 'page' || ['GET', 'HEAD'].includes(method) ? {} : { body: {} }
          const { status, headers } = await call(node.url, path, { method, jar, ...body })
          if (kind === 'handler') assert.equal(status, jar.token ? 403 : 401, name)
          else if (jar.token) assert.equal(status, 404, name)
          else assert.match(headers.location ?? '', /^\/signin/, name)
        }
      }
      assert.equal(await snapshotState(world), before)
      return `${entries.length} entries`
    } finally {
      await node.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  { full: 'takes long' },
)
