import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { root } from './root.ts'

/** src/modules.ts finds its modules with import.meta.glob, which Next and Vitest know and esbuild does not. */
const modulesByFolder: Plugin = {
  name: 'modules-by-folder',
  setup({ onLoad }) {
    onLoad({ filter: /src[\\/]modules\.ts$/ }, () => {
      const files = globSync('src/app/*/module.ts', { cwd: root }).sort()
      const imports = files.map(
        (file, index) => `import m${index} from './${relative('src', file).replaceAll('\\', '/')}'`,
      )
      return {
        contents: `${imports.join('\n')}\nexport const modules = [${files.map((_, index) => `m${index}`).join(', ')}]`,
        loader: 'ts',
      }
    })
  },
}

/** Packages of hundreds of small files, which Node takes long to load, and one that is nothing but a condition. */
const bundled = /^(drizzle-orm|zod|server-only)(\/|$)/

/** All others are left where they are: some cannot be bundled, and a module may bring any. */
const packagesApart: Plugin = {
  name: 'packages-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^(@[a-z0-9]|[a-z0-9])/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || bundled.test(path)) return
      // Next has no map of its parts for Node.
      return { path: /^next\/[\w-]+$/.test(path) ? `${path}.js` : path, external: true }
    })
  },
}

/**
 * Imports files of src/ into a script. Bundled first: Node alone knows neither `@/` nor `server-only`, and needs
 * 1.5 seconds to load Drizzle's hundreds of files.
 */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows what it imports
export async function importSource(...files: string[]): Promise<any[]> {
  // Each time a folder of its own: what was loaded before keeps the connections that it had.
  mkdirSync(join(root, '.data'), { recursive: true })
  const outdir = mkdtempSync(join(root, '.data', 'bundle-'))
  process.once('exit', () => rmSync(outdir, { recursive: true, force: true }))
  await build({
    entryPoints: files.map((file) => join(root, file)),
    outbase: root,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    tsconfig: join(root, 'tsconfig.json'),
    conditions: ['react-server'],
    plugins: [modulesByFolder, packagesApart],
    logLevel: 'warning',
  })
  return Promise.all(files.map((file) => import(pathToFileURL(join(outdir, file.replace(/\.tsx?$/, '.mjs'))).href)))
}
