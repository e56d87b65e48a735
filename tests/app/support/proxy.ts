// HAProxy with deploy/haproxy.cfg, in front of the nodes of a test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../../scripts/ports.ts'
import { root } from '../../../scripts/root.ts'

export interface RunningProxy {
  /** The public URL: https, with a self-signed certificate. */
  url: string
  certificate: string
  output: () => string
  stop: () => Promise<void>
}

/** With these, a slow moment of this machine does not count as the outage of a node. */
const patientSettings = (config: string) =>
  config
    .replaceAll(/timeout connect \d+s/g, 'timeout connect 20s')
    .replaceAll(/timeout (check|queue) \d+m?s/g, 'timeout $1 20s')
    .replaceAll(/ fall \d+/g, ' fall 10')

/** deploy/haproxy.cfg with these nodes instead of its own. */
function haproxyConfig(nodes: string[]): string {
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

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

interface StartingProcess {
  name: string
  child: ChildProcess
  output: () => string
  stop: () => Promise<void>
}

/** Waits until a server that was just started accepts connections; stops it and throws if it does not start. */
export async function waitForPort(port: number, { name, child, output, stop }: StartingProcess): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isListening(port))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop()
      throw new Error(`${name} did not start:\n${output()}`)
    }
    await sleep(50)
  }
}

/** A URL with a free port for the proxy, chosen before the nodes start, because they need it as AUTH_URL. */
export const newProxyUrl = async () => `https://localhost:${await findFreePort()}`

/** `asShipped` is for tests of outages: otherwise the proxy waits longer for the nodes. */
export async function startProxy(
  url: string,
  nodes: string[],
  { asShipped = false }: { asShipped?: boolean } = {},
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-proxy-'))
  const file = (name: string) => join(folder, name)
  const { port, host } = new URL(url)
  // biome-ignore format: one option per line would be less readable
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
    '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2',
    '-keyout', file('key.pem'), '-out', file('certificate.pem')], { stdio: 'pipe' })
  const certificate = readFileSync(file('certificate.pem'), 'utf8')
  writeFileSync(file('both.pem'), certificate + readFileSync(file('key.pem'), 'utf8'), { mode: 0o600 })
  writeFileSync(file('haproxy.cfg'), asShipped ? haproxyConfig(nodes) : patientSettings(haproxyConfig(nodes)))
  const child = spawn('haproxy', ['-db', '-f', file('haproxy.cfg')], {
    env: { ...process.env, APP_HOST: host, HTTPS_BIND: `127.0.0.1:${port}`, CERTIFICATE: file('both.pem') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    await exited
    clearTimeout(timer)
    rmSync(folder, { recursive: true, force: true })
  }
  await waitForPort(Number(port), { name: 'HAProxy', child, output: () => output, stop })
  return { url, certificate, output: () => output, stop }
}
