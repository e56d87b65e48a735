// HAProxy as deploy/haproxy.cfg has it, in front of nodes of a test.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'

export interface RunningProxy {
  /** As the public sees it: https, and a certificate that nobody vouches for. */
  url: string
  certificate: string
  output: () => string
  stop: () => Promise<void>
}

/** The file as it is shipped, with these nodes in place of its own. */
function withNodes(nodes: string[]): string {
  const lines = readFileSync(join(root, 'deploy', 'haproxy.cfg'), 'utf8').split('\n')
  const isServer = (line = '') => /^\s*server app\d/.test(line)
  return lines
    .flatMap((line, index) => {
      if (!isServer(line)) return [line]
      if (isServer(lines[index - 1])) return []
      return nodes.map((url, node) => `  server app${node + 1} 127.0.0.1:${new URL(url).port}`)
    })
    .join('\n')
}

export const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** A port for the proxy, chosen before the nodes start: they must know under which address people reach them. */
export const proxyAddress = async () => `https://localhost:${await freePort()}`

export async function startProxy(url: string, nodes: string[]): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-proxy-'))
  const file = (name: string) => join(folder, name)
  const { port, host } = new URL(url)
  // biome-ignore format: one option a line says nothing more
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2',
    '-keyout', file('key.pem'), '-out', file('certificate.pem')], { stdio: 'pipe' })
  const certificate = readFileSync(file('certificate.pem'), 'utf8')
  writeFileSync(file('both.pem'), certificate + readFileSync(file('key.pem'), 'utf8'), { mode: 0o600 })
  writeFileSync(file('haproxy.cfg'), withNodes(nodes))
  const child = spawn('haproxy', ['-db', '-f', file('haproxy.cfg')], {
    env: { ...process.env, APP_HOST: host, HTTPS_BIND: `127.0.0.1:${port}`, CERTIFICATE: file('both.pem') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const isGone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    await isGone
    clearTimeout(timer)
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + 10_000
  while (!(await accepts(Number(port)))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop()
      throw new Error(`HAProxy did not start:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { url, certificate, output: () => output, stop }
}
