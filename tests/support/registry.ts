import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { Readable } from 'node:stream'

/**
 * A package registry on this machine that has these archives of create-plinth, and passes every other question on to the
 * one that npm is set to: create-plinth can be tried as people get it, before it is published.
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
    const own = files.get(basename(path))
    if (path.startsWith('/create-plinth/-/') && own) return void response.end(own)
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
    const answer = await fetch(upstream + path, { headers: { accept } }).catch(() => null)
    if (!answer?.body) return void response.writeHead(502).end()
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' })
    Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]).pipe(response)
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
