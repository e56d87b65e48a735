import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { Readable } from 'node:stream'

/**
 * Starts a local npm registry that serves these archives of create-plinth and forwards every other request to the
 * configured registry. With it, create-plinth can be installed as users do, before it is published.
 */
export async function startRegistry(archives: string[]): Promise<{ url: string; stop: () => Promise<void> }> {
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
    const accept = request.headers.accept ?? '*/*'
    const upstreamResponse = await fetch(upstream + path, { headers: { accept } }).catch(() => null)
    if (!upstreamResponse?.body) return void response.writeHead(502).end()
    response.writeHead(upstreamResponse.status, {
      'content-type': upstreamResponse.headers.get('content-type') ?? 'application/json',
    })
    Readable.fromWeb(upstreamResponse.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response)
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
