import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Repository } from './git.ts'
import type { Tree } from './snapshot.ts'

const formatted = /\.(ts|tsx|js|jsx|mjs|cjs|json|jsonc|css)$/

/** The ways in which an app may be formatted: the files that say how, and the program that does it. */
const formatters = [
  { program: 'biome', files: ['biome.json', 'biome.jsonc'], args: ['format', '--write', '.'] },
  {
    program: 'prettier',
    files: [
      ...['', '.json', '.json5', '.yaml', '.yml', '.toml', '.js', '.cjs', '.mjs'].map(
        (ending) => `.prettierrc${ending}`,
      ),
      ...['.js', '.cjs', '.mjs'].map((ending) => `prettier.config${ending}`),
    ],
    args: ['--write', '--log-level', 'error', '.'],
  },
]

/**
 * Both trees in the app's own format. Somebody who likes semicolons has changed every line of every file, and none of
 * it is a change that could conflict with anything.
 */
export function formatLike(repository: Repository, base: Tree, next: Tree): [Tree, Tree] {
  const copies: [Tree, Tree] = [new Map(base), new Map(next)]
  for (const { program, files, args } of formatters) {
    const here = repository.readAt('HEAD', [...files, '.gitignore', '.editorconfig', '.prettierignore'])
    const own = files.filter((file) => here.get(file))
    const isAsItCame = own.every((file) => base.get(file)?.equals(here.get(file) ?? Buffer.alloc(0)))
    const command = findProgram(repository.folder, program)
    if (own.length === 0 || isAsItCame || !command) continue
    for (const tree of copies) formatTree(tree, here, command, args)
  }
  return copies
}

/** Among the packages of the app, or of the workspace that it is in. */
function findProgram(folder: string, name: string): string | null {
  for (let place = folder; ; place = dirname(place)) {
    const file = join(place, 'node_modules', '.bin', name)
    if (existsSync(file)) return file
    if (place === dirname(place)) return null
  }
}

function formatTree(tree: Tree, settings: Map<string, Buffer | null>, command: string, args: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-format-'))
  try {
    const put = (path: string, bytes: Buffer) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
    const paths = [...tree.keys()].filter((path) => formatted.test(path) && !settings.get(path))
    for (const path of paths) put(path, tree.get(path) ?? Buffer.alloc(0))
    for (const [path, bytes] of settings) if (bytes) put(path, bytes)
    const isWindows = process.platform === 'win32'
    spawnSync(isWindows ? `"${command}"` : command, args, { cwd: folder, stdio: 'ignore', shell: isWindows })
    for (const path of paths) tree.set(path, readFileSync(join(folder, path)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
