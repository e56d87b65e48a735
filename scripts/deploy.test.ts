import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = ['Dockerfile', 'deploy/compose.yaml', 'deploy/fleet.yaml', 'deploy/kubernetes.yaml']
const settings = new Set([...read('.env.example').matchAll(/^#? ?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name))

test.each(files)('%s names only settings that there are', (file) => {
  const foreign =
    /^(POSTGRES_\w+|NODE_ENV|HOSTNAME|PORT|TLS|CMD|ALL|FROM|COPY|RUN|ENV|WORKDIR|USER|EXPOSE|AS|APP(_HOST)?|HTTPS_BIND|CERTIFICATE)$/
  const named = [...read(file).matchAll(/\b[A-Z][A-Z_]+\b/g)].map(([name]) => name)
  expect(named.filter((name) => !settings.has(name) && !foreign.test(name))).toEqual([])
})

test.each(files)('%s brings the database up to date with what the image has for it', (file) => {
  expect(read(file).replaceAll(/[[\]",]/g, '')).toContain('node scripts/db.mjs migrate')
  expect(read('scripts/standalone.ts')).toContain("join(folder, 'scripts', 'db.mjs')")
})

test.each(files.slice(1))('%s asks for addresses that there are, and lets nothing be written', (file) => {
  const text = read(file)
  const asked = [...text.matchAll(/\/api\/[a-z/]+/g)].map(([path]) => path)
  expect(asked.length).toBeGreaterThan(0)
  for (const path of asked) expect(existsSync(join(root, 'src/app', path, 'route.ts')), path).toBe(true)
  expect(text).toMatch(/read_only: true|readOnlyRootFilesystem: true/)
})

test.each(files.slice(1))('%s gives a node time to drain, and what is under way time to end', (file) => {
  const grace = Number(/(?:stop_grace_period|terminationGracePeriodSeconds): (\d+)/.exec(read(file))?.[1])
  const drain = Number(/^DRAIN_MS=(\d+)/m.exec(read('.env.example'))?.[1])
  const patience = Number(/const patience = (\d[\d_]*)/.exec(read('src/core/drain.ts'))?.[1]?.replaceAll('_', ''))
  expect(grace * 1000).toBeGreaterThan(drain + patience)
})
