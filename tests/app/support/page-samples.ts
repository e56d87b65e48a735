import { globSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../../scripts/root.ts'
import { query } from './query.ts'

/** Folders of `src/app` with pages: modules, and '' for core. */
export const owners = ['', ...readdirSync(join(root, 'src', 'app')).filter((name) => name.startsWith('('))]

/** The paths of all pages of a module or of core, without values for their parameters, and without former paths. */
export function pathsOf(owner: string): string[] {
  const folder = join(root, 'src', 'app', owner)
  return globSync('**/page.tsx', { cwd: folder })
    .map((file) => `/${file.replaceAll('\\', '/')}`)
    .filter((file) => owner !== '' || !file.startsWith('/('))
    .filter((file) => !/\/@|\/\(\.|^\/dev\/|\/\(moved\)\//.test(file))
    .map((file) => file.replace('/page.tsx', '').replaceAll(/\/\(\w+\)/g, '') || '/')
    .toSorted()
}

/**
 * Samples for pages, which modules bring in `e2e-samples.ts`: by the path up to a parameter, its value; by the path of a page that
 * needs one, its query.
 */
export async function makePageSamples(callerId: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const file of globSync('src/app/*/e2e-samples.ts', { cwd: root })) {
    const { makeSamples } = await import(pathToFileURL(join(root, file)).href)
    Object.assign(found, await makeSamples(query, callerId))
  }
  return found
}

/** The path of a page with these samples in place of its parameters. Those without a sample stay. */
export function fillPath(path: string, samples: Record<string, string>): string {
  const patterns = Object.keys(samples).toSorted((a, b) => b.length - a.length)
  let filled = path.replace('[number]', '1')
  for (const pattern of patterns) {
    const value = samples[pattern] ?? ''
    if (value.startsWith('?')) {
      if (path === pattern) filled += value
    } else if (`${path}/`.startsWith(`${pattern}/`)) {
      const at = pattern.split('/').length - 1
      filled = filled.split('/').with(at, value).join('/')
    }
  }
  return filled
}
