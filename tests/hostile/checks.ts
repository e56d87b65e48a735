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
  /** Why it is left to `npm run test:faults`, which has time, and all servers. */
  long?: string
}

type Run = (world: World) => Promise<string | undefined> | Promise<void>

export const registered: Check[] = []

export function check(number: string, says: string, run: Run, more: Pick<Check, 'waits' | 'long'> = {}): void {
  registered.push({ number, says, run, ...more })
}

/** Keeps the number, and says why it is not run. */
export function skip(number: string, says: string, reason: string): void {
  registered.push({ number, says, reason })
}

/** What a check needs and this build may lack, because the module that has it was not chosen. */
export class NotInBuild extends Error {}

/** A module is there because its folder is. */
export const hasModule = (name: string) => existsSync(join(root, 'src', 'app', `(${name})`))

/** A check of what a module does: it leaves with the module. */
export function checkModule(module: string, number: string, says: string, run: Run): void {
  if (hasModule(module)) check(number, says, run)
  else skip(number, says, `there is no module ${module}`)
}

/** With all modules of the template nothing may be missing: something was renamed, and its check would be lost. */
export const mayLack = () => !['account', 'admin', 'content', 'docs', 'landing'].every(hasModule)

/** Something took longer than it may. Another program may have had the processor: the check is run again before it fails. */
export class TooSlow extends Error {}

export function assertSoon(isSoon: boolean, otherwise: string): void {
  if (!isSoon) throw new TooSlow(otherwise)
}
