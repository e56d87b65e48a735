import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/root.ts'
import { readReleases } from './changelog.ts'
import { divide } from './contents.ts'
import type { ModuleManifest, Snapshot, Verification } from './src/snapshot.ts'

/** Files that replace those of the template in a created app. */
const replacements = 'cli/app/'

/**
 * Removes the entries of knip.json for files that only the template has. An app may leave parts of core unused, which is a library
 * for its modules, and fast-check, which `npx plinth verify` needs.
 */
const withoutTemplateEntries = (text: string) =>
  text
    .replaceAll(/^ +"(cli|tests\/template|src\/app\/\*\/(screenshots|e2e-samples)|src\/core)\b.*\n/gm, '')
    .replace(/^ {2}"entry": \[\n/m, '$&    "src/core/**/*.{ts,tsx}",\n')
    .replace(/^ {2}"ignoreDependencies": \[\n/m, '$&    "fast-check",\n')
    .replace(' "cli/{*,src/**/*}.ts",', '')

/** Removes the column with the tests that prove a defense: an app gets them from `npx plinth verify`. */
const withoutProofs = (text: string) =>
  text.replaceAll(/^\|(?:.*\|)? Tested by \|\n(?:\|.*\n)+/gm, (table) =>
    table.replaceAll(/^((?:\|(?:\\\||[^|\n])*)+)\|(?:\\\||[^|\n])*\|$/gm, '$1|'),
  )

/** Files of the template that differ a little in an app. */
const changes: Record<string, (text: string) => string> = {
  'knip.json': withoutTemplateEntries,
  'docs/security.md': withoutProofs,
}

/** Packages that only the template needs. */
const templatePackages = ['@clack/prompts', '@types/semver', 'semver']

const titleIn: Snapshot['titleIn'] = [
  { file: 'src/brand.ts', text: "appName = 'Plinth'" },
  { file: 'src/brand.ts', text: "appSlug = 'plinth'" },
  {
    file: 'src/brand.ts',
    text: "'Sign-in, users, roles and modules on Next.js and PostgreSQL.'",
    by: "'What Plinth does, in one sentence.'",
  },
  { file: 'README.md', text: '# Plinth' },
  { file: 'deploy/grafana/dashboard.json', text: '"title": "Plinth"' },
]

export interface Packed {
  /** What a created app contains. */
  snapshot: Snapshot
  /** What `npx plinth verify` adds to it. */
  verification: Verification
}

/** The template at one version, from the work tree or from a commit. */
export function pack({ commit, version }: { commit?: string | undefined; version?: string | undefined } = {}): Packed {
  const sources = readSources(commit)
  const contents = divide(new Map([...sources].map(([path, bytes]) => [path, bytes.toString()])))
  const files = Object.fromEntries(contents.app.map((path) => [path, fileOf(sources.get(path))]))
  for (const [path, bytes] of sources)
    if (path.startsWith(replacements)) files[path.slice(replacements.length)] = fileOf(bytes)
  for (const [path, change] of Object.entries(changes)) {
    const file = files[path]
    if (file && 'text' in file) file.text = change(file.text)
  }
  const facts = Object.entries(files)
    .filter(([path]) => /^src\/app\/\([^/]+\)\/module\.json$/.test(path))
    .map(([, file]) => JSON.parse('text' in file ? file.text : '{}') as ModuleManifest)
  const own = JSON.parse(sources.get('package.json')?.toString() ?? '{}') as { version: string }
  const packed = version ?? own.version
  return {
    snapshot: {
      version: packed,
      modules: facts.sort((a, b) => (a.name < b.name ? -1 : 1)),
      workshop: templatePackages,
      titleIn,
      releases: readReleases(sources.get('CHANGELOG.md')?.toString() ?? ''),
      files,
    },
    verification: {
      version: packed,
      files: Object.fromEntries(contents.verification.map((path) => [path, fileOf(sources.get(path))])),
    },
  }
}

/** What a created app contains. */
export const makeSnapshot = (options?: Parameters<typeof pack>[0]): Snapshot => pack(options).snapshot

const fileOf = (bytes: Buffer | undefined): Snapshot['files'][string] =>
  bytes?.includes(0) ? { base64: bytes.toString('base64') } : { text: bytes?.toString() ?? '' }

/** All files of the template, by their paths. */
function readSources(commit: string | undefined): Map<string, Buffer> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })
  const output = commit
    ? git('ls-tree', '-r', '-z', '--name-only', commit)
    : git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const paths = [...new Set(output.toString().split('\0').filter(Boolean).sort())]
  if (commit) return new Map(paths.map((path) => [path, git('cat-file', 'blob', `${commit}:${path}`)]))
  return new Map(
    paths.filter((path) => existsSync(join(root, path))).map((path) => [path, readFileSync(join(root, path))]),
  )
}
