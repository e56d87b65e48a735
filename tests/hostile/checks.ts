import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import type { World } from './world.ts'

/** One check of the hostile suite, under the number that it has for good. */
export interface Check {
  number: string
  /** A sentence about behaviour. */
  says: string
  /** May return what was measured, to be printed beside the result. */
  run?: Run
  /** Why it is not run. */
  reason?: string
  /** Which part of it cannot be run yet. */
  waits?: string
}

type Run = (world: World) => Promise<string | undefined> | Promise<void>

export const registered: Check[] = []

export function check(number: string, says: string, run: Run, { waits }: { waits?: string } = {}): void {
  registered.push({ number, says, run, ...(waits && { waits }) })
}

/** Keeps the number, and says why it is not run. */
export function skip(number: string, says: string, reason: string): void {
  registered.push({ number, says, reason })
}

/** A module is there because its folder is. */
export const hasModule = (name: string) => existsSync(join(root, 'src', 'app', `(${name})`))

/** A check of what a module does: it leaves with the module. */
export function checkModule(module: string, number: string, says: string, run: Run): void {
  if (hasModule(module)) check(number, says, run)
  else skip(number, says, `there is no module ${module}`)
}
