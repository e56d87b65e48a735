import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const images = ['Dockerfile', 'deploy/compose.yaml', 'deploy/fleet.yaml', 'deploy/kubernetes.yaml']
const hosts = ['deploy/app.service', 'deploy/fly.toml', 'deploy/render.yaml']
const files = [...images, ...hosts]
const settings = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name))

test.each(files)('%s uses only settings that exist', (file) => {
  const otherNames =
    /^(POSTGRES_\w+|MALLOC_\w+|NODE_ENV|HOSTNAME|PORT|TLS|CMD|ALL|FROM|COPY|RUN|ENV|WORKDIR|USER|EXPOSE|AS|APP(_HOST)?|HTTPS_BIND|CERTIFICATE|AF_\w+|CPU|SIGTERM|GET|IP)$/
  const usedNames = [...read(file).matchAll(/\b[A-Z][A-Z_]+\b/g)].map(([name]) => name)
  expect(usedNames.filter((name) => !settings.has(name) && !otherNames.test(name))).toEqual([])
})

test.each(files)('%s migrates the database with the script in the image', (file) => {
  expect(read(file).replaceAll(/[[\]",]/g, '')).toContain('node scripts/db.mjs migrate')
  expect(read('scripts/standalone.ts')).toContain("db: join(root, 'scripts', 'db.ts')")
})

test.each(images.slice(1))('%s probes paths that exist, and has a read-only file system', (file) => {
  const text = read(file)
  const probed = [...text.matchAll(/\/api\/[a-z/]+/g)].map(([path]) => path)
  expect(probed.length).toBeGreaterThan(0)
  for (const path of probed) expect(existsSync(join(root, 'src/app', path, 'route.ts')), path).toBe(true)
  expect(text).toMatch(/read_only: true|readOnlyRootFilesystem: true/)
})

test.each(files.slice(1))('%s gives a node time to drain and to finish requests in flight', (file) => {
  const grace = Number(
    /(?:stop_grace_period|terminationGracePeriodSeconds|kill_timeout|TimeoutStopSec|maxShutdownDelaySeconds)(?:: ?| = "|=)(\d+)/.exec(
      read(file),
    )?.[1],
  )
  const drain = Number(/^DRAIN_MS=(\d+)/m.exec(read('.env.example'))?.[1])
  const inFlightTimeoutMs = Number(
    /const inFlightTimeoutMs = (\d[\d_]*)/.exec(read('src/core/process/drain.ts'))?.[1]?.replaceAll('_', ''),
  )
  expect(grace * 1000).toBeGreaterThan(drain + inFlightTimeoutMs)
})

test.each(hosts)('%s says whether it was tried, and docs/deploy.md lists it', (file) => {
  expect(read(file)).toMatch(/\b(Tried:|Not tried\.)/)
  expect(read('docs/deploy.md')).toContain(`\`${file}\``)
})

test.each(hosts.slice(1))('%s probes readiness, and keeps the app running for its jobs', (file) => {
  expect(read(file)).toContain('/api/health/ready')
  expect(read(file)).toMatch(/auto_stop_machines = "off"|plan: starter/)
})
