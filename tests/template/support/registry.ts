import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'

/** What a registry says about the versions of a package. */
export type Packument = { 'dist-tags': { latest: string }; versions: Record<string, object> }

/**
 * Starts a local npm registry that serves these archives of create-plinth. It answers for other packages with `publish`, if
 * given, or else forwards the request to the configured registry. With it, create-plinth can be installed as users do, before
 * it is published.
 */
export async function startRegistry(
  archives: string[],
  publish?: (name: string) => Packument | null,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '')
  const files = new Map(archives.map((archive) => [basename(archive), readFileSync(archive)]))
  const manifests = archives.map((archive) => ({
    file: basename(archive),
    manifest: JSON.parse(execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' })),
  }))
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/'
    const tarball = files.get(basename(path))
    if (path.startsWith('/create-plinth/-/') && tarball) return void response.end(tarball)
    if (path.split('?')[0] === '/create-plinth') {
      const url = `http://${request.headers.host}`
      const versions = manifests.map(({ file, manifest }) => [
        manifest.version,
        { ...manifest, dist: { tarball: `${url}/create-plinth/-/${file}`, integrity: integrityOf(files.get(file)) } },
      ])
      response.setHeader('content-type', 'application/json')
      return void response.end(
        JSON.stringify({
          name: 'create-plinth',
          'dist-tags': { latest: manifests.at(-1)?.manifest.version },
          versions: Object.fromEntries(versions),
        }),
      )
    }
    if (publish) {
      const name = decodeURIComponent(path.slice(1))
      const packument = publish(name)
      response.writeHead(packument ? 200 : 404, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(packument ? { name, ...packument } : {}))
    }
    const accept = request.headers.accept ?? '*/*'
    // A whole response or none, which npm requests again: one that breaks off would be a broken package.
    try {
      const found = await fetch(upstream + path, { headers: { accept } })
      const body = Buffer.from(await found.arrayBuffer())
      const type = found.headers.get('content-type') ?? 'application/json'
      response.writeHead(found.status, { 'content-type': type }).end(body)
    } catch (error) {
      response.writeHead(502).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  }
}

const integrityOf = (bytes: Buffer | undefined) =>
  `sha512-${createHash('sha512')
    .update(bytes ?? '')
    .digest('base64')}`
