import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Repository } from './git.ts'
import type { Tree } from './snapshot.ts'

const formatted = /\.(ts|tsx|js|jsx|mjs|cjs|json|jsonc|css)$/

/** The supported formatters: their configuration files and commands. */
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
 * Formats both trees like the app. With another formatter configuration (semicolons, for example) every line of the app
 * differs from the template, and all of them would conflict.
 */
export function formatLike(repository: Repository, base: Tree, next: Tree): [Tree, Tree] {
  const formattedTrees: [Tree, Tree] = [new Map(base), new Map(next)]
  for (const { program, files, args } of formatters) {
    const appFiles = repository.readAt('HEAD', [...files, '.gitignore', '.editorconfig', '.prettierignore'])
    const configFiles = files.filter((file) => appFiles.get(file))
    const isUnchanged = configFiles.every((file) => base.get(file)?.equals(appFiles.get(file) ?? Buffer.alloc(0)))
    const command = findProgram(repository.folder, program)
    if (configFiles.length === 0 || isUnchanged || !command) continue
    for (const tree of formattedTrees) formatTree(tree, appFiles, command, args)
  }
  return formattedTrees
}

/** Looks in the node_modules of the app and of its parent folders (a workspace). */
function findProgram(folder: string, name: string): string | null {
  for (let parent = folder; ; parent = dirname(parent)) {
    const file = join(parent, 'node_modules', '.bin', name)
    if (existsSync(file)) return file
    if (parent === dirname(parent)) return null
  }
}

function formatTree(tree: Tree, settings: Map<string, Buffer | null>, command: string, args: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-format-'))
  try {
    const writeCopy = (path: string, bytes: Buffer) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
    const paths = [...tree.keys()].filter((path) => formatted.test(path) && !settings.get(path))
    for (const path of paths) writeCopy(path, tree.get(path) ?? Buffer.alloc(0))
    for (const [path, bytes] of settings) if (bytes) writeCopy(path, bytes)
    const isWindows = process.platform === 'win32'
    spawnSync(isWindows ? `"${command}"` : command, args, { cwd: folder, stdio: 'ignore', shell: isWindows })
    for (const path of paths) tree.set(path, readFileSync(join(folder, path)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
