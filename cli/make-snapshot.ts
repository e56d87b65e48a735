import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../scripts/root.ts'
import type { ModuleFacts, Snapshot } from './src/snapshot.ts'

/** What is about the template itself, and no part of an app. */
const notInAnApp = [
  /^\.ci\//,
  /^\.github\//,
  /^cli\//,
  /^docs\/(images\/|scale\.md$)/,
  /^tests\/(bench|budget|cli|first-run|gate|image|modules|previous)\//,
  /^tests\/hostile\/(planted|t-template)\.ts$/,
  /^tests\/support\/(cli|copy|registry)\.ts$/,
  /^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^(LICENSE|renovate\.json)$/,
]

/** Files of an app that are not those of the template. */
const instead = join(root, 'cli', 'app')

/** Packages that only the files above need. */
const workshop = ['@clack/prompts']

const titleIn = [
  { file: 'src/core/app-name.ts', text: "'Plinth'" },
  { file: 'README.md', text: '# Plinth' },
  { file: '.devcontainer/devcontainer.json', text: '"name": "Plinth"' },
]

/** The template as it is in the work tree, or at a commit. */
export function makeSnapshot({
  commit,
  version,
}: {
  commit?: string | undefined
  version?: string | undefined
} = {}): Snapshot {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })
  const paths = commit
    ? git('ls-tree', '-r', '-z', '--name-only', commit)
    : git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  const files: Snapshot['files'] = {}
  const put = (path: string, bytes: Buffer) => {
    files[path] = bytes.includes(0) ? { base64: bytes.toString('base64') } : { text: bytes.toString() }
  }
  for (const path of new Set(paths.toString().split('\0').filter(Boolean).sort())) {
    if (notInAnApp.some((pattern) => pattern.test(path))) continue
    if (commit) put(path, git('cat-file', 'blob', `${commit}:${path}`))
    else if (existsSync(join(root, path))) put(path, readFileSync(join(root, path)))
  }
  for (const path of globSync('**/*', { cwd: instead, withFileTypes: true }).filter((entry) => entry.isFile())) {
    const file = join(path.parentPath, path.name)
    put(file.slice(instead.length + 1), readFileSync(file))
  }
  const facts = Object.entries(files)
    .filter(([path]) => /^src\/app\/\([^/]+\)\/module\.json$/.test(path))
    .map(([, file]) => JSON.parse('text' in file ? file.text : '{}') as ModuleFacts)
  const manifest = files['package.json']
  const own = JSON.parse(manifest && 'text' in manifest ? manifest.text : '{}') as { version: string }
  return {
    version: version ?? own.version,
    modules: facts.sort((a, b) => (a.name < b.name ? -1 : 1)),
    workshop,
    titleIn,
    files,
  }
}
