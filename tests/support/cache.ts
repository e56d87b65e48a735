// A cache that everybody shares, in front of one node: nginx, which keeps whatever it is allowed to keep.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/ports.ts'
import { accepts } from './proxy.ts'

/** Each answer says in X-Cache-Status whether it was kept from before. */
const settings = (folder: string, port: number, node: string) => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  server_tokens off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_cache_path ${folder}/cache keys_zone=shared:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://127.0.0.1:${new URL(node).port};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Connection '';
      proxy_cache shared;
      proxy_cache_key $request_uri;
      add_header X-Cache-Status $upstream_cache_status always;
    }
  }
}
`

export async function startCache(node: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-cache-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, settings(folder, port, node))
  const child = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (text) => (output += text))
  const isGone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGKILL')
    await isGone
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + 10_000
  while (!(await accepts(port))) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop()
      throw new Error(`nginx did not start:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { url: `http://localhost:${port}`, stop }
}
