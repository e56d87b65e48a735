import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { root } from './root.ts'

const globCall = /import\.meta\.glob<[^(]*>\('\.\/([^']+)', \{ eager: true \}\)/

/** Modules, their tables and OAuth providers are found with import.meta.glob, which Next and Vitest support and esbuild does not. */
const filesByFolder: Plugin = {
  name: 'files-by-folder',
  setup({ onLoad }) {
    onLoad(
      { filter: /src[\\/](modules|tenant-tables|core[\\/]auth[\\/]oauth[\\/]provider-files)\.ts$/ },
      ({ path }) => {
        const text = readFileSync(path, 'utf8')
        const files = globSync(globCall.exec(text)?.[1] ?? '', { cwd: dirname(path) })
          .map((file) => `./${file.replaceAll('\\', '/')}`)
          .sort()
        const imports = files.map((file, index) => `import * as file${index} from '${file}'`)
        const found = files.map((file, index) => `'${file}': file${index}`)
        return {
          contents: `${imports.join('\n')}\n${text.replace(globCall, () => `{ ${found.join(', ')} }`)}`,
          loader: 'ts',
        }
      },
    )
  },
}

/** Packages of hundreds of small files, which Node loads slowly, and `server-only`, which only works with a condition. */
const bundled = /^(drizzle-orm|zod|server-only)(\/|$)/

/** All other packages stay external: some cannot be bundled, and a module may use any package. */
const externalPackages: Plugin = {
  name: 'packages-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^(@[a-z0-9]|[a-z0-9])/ }, ({ path, kind }) => {
      if (kind === 'entry-point' || bundled.test(path)) return
      // The package.json of Next has no `exports` map, so Node needs the file extension.
      return { path: /^next\/[\w-]+$/.test(path) ? `${path}.js` : path, external: true }
    })
  },
}

/**
 * Imports files of src/ into a script. Bundles them first: Node alone resolves neither `@/` nor `server-only`, and needs
 * 1.5 seconds to load Drizzle's hundreds of files.
 */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows what it imports
export async function importSource(...files: string[]): Promise<any[]> {
  // A new folder for each call, so that Node loads new modules instead of cached ones with closed connections.
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
    plugins: [filesByFolder, externalPackages],
    logLevel: 'warning',
  })
  return Promise.all(files.map((file) => import(pathToFileURL(join(outdir, file.replace(/\.tsx?$/, '.mjs'))).href)))
}
