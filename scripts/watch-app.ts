import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

/** What Next finds at its start only: the modules, and the installed packages. */
interface AppState {
  modules: string
  packages: number
}

function readState(folder: string): AppState {
  const apps = join(folder, 'src', 'app')
  // Editors create an empty file first.
  const hasModule = (name: string) =>
    (statSync(join(apps, name, 'module.ts'), { throwIfNoEntry: false })?.size ?? 0) > 0
  const modules = readdirSync(apps).filter((name) => name.startsWith('(') && hasModule(name))
  const installed = join(folder, 'node_modules', '.package-lock.json')
  return { modules: modules.join(), packages: existsSync(installed) ? statSync(installed).mtimeMs : 0 }
}

const isSame = (one: AppState, other: AppState) => one.modules === other.modules && one.packages === other.packages

/**
 * Calls `onChange` with a reason when a module or package was added or removed, once nothing has changed for a second: the
 * command that does it is still writing files before. Returns a function that stops watching.
 */
export function watchApp(
  onChange: (reason: string) => void,
  { folder = root, everyMs = 1_000 }: { folder?: string; everyMs?: number } = {},
): () => void {
  let current = readState(folder)
  let last = current
  const timer = setInterval(() => {
    const now = readState(folder)
    if (!isSame(now, current) && isSame(now, last)) {
      const reason = now.modules === current.modules ? 'Packages have changed' : 'Modules have changed'
      current = now
      onChange(reason)
    }
    last = now
  }, everyMs)
  return () => clearInterval(timer)
}
