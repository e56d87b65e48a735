import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'

/** Packs create-plinth as for publishing. */
export function packCli(out: string): { archive: string; folder: string } {
  const archive = execFileSync(process.execPath, [join(root, 'cli', 'pack.ts'), '--out', out], {
    encoding: 'utf8',
  }).trim()
  return { archive, folder: join(out, 'package') }
}

/** Installs the packed create-plinth into the node_modules of an app, as npm does. */
export function installCli(app: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'plinth-packed-'))
  const modules = join(app, 'node_modules')
  execFileSync('cp', ['-r', packCli(scratch).folder, join(modules, 'create-plinth')])
  chmodSync(join(modules, 'create-plinth', 'dist', 'bin.mjs'), 0o755)
  for (const name of ['create-plinth', 'plinth'])
    symlinkSync('../create-plinth/dist/bin.mjs', join(modules, '.bin', name))
  rmSync(scratch, { recursive: true })
}
