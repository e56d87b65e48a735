// npm run cli:pack [-- --from <commit>] [--version <version>] [--out <folder>]: builds the npm package of create-plinth,
// with a snapshot of the template. The snapshot is a single file, because npm omits or renames some of the template's files.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { root } from '../scripts/root.ts'
import { showUsage } from '../scripts/show-usage.mjs'
import { pack } from './make-snapshot.ts'

showUsage('npm run cli:pack [-- --from <commit>] [--version <version>] [--out <folder>]')

const { values } = parseArgs({
  options: { from: { type: 'string' }, version: { type: 'string' }, out: { type: 'string' } },
})
const cli = join(root, 'cli')
const out = resolve(values.out ?? join(root, '.data', 'cli'))
const folder = join(out, 'package')
const dist = join(folder, 'dist')
rmSync(folder, { recursive: true, force: true })
mkdirSync(dist, { recursive: true })

const { snapshot, verification } = pack({ commit: values.from, version: values.version })
writeFileSync(join(dist, 'snapshot.json'), JSON.stringify(snapshot))
writeFileSync(join(dist, 'verification.json'), JSON.stringify(verification))
copyFileSync(join(cli, 'bin.mjs'), join(dist, 'bin.mjs'))
await build({
  entryPoints: [join(cli, 'src', 'main.ts')],
  outfile: join(dist, 'main.mjs'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
})
const manifest = JSON.parse(readFileSync(join(cli, 'package.json'), 'utf8'))
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, version: snapshot.version }, null, 2)}\n`)
copyFileSync(join(cli, 'README.md'), join(folder, 'README.md'))
for (const name of ['LICENSE', 'CHANGELOG.md']) copyFileSync(join(root, name), join(folder, name))
const archive = execFileSync('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder, encoding: 'utf8' })
console.log(join(out, archive.trim()))
