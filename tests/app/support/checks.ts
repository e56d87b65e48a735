import { hasModule } from './has-module.ts'
import type { World } from './test-world.ts'

/** One check of the security suite. Its number never changes, because it is cited. */
export interface Check {
  number: string
  /** One sentence about the expected behavior. */
  title: string
  /** May return measurements, which are printed next to the result. */
  run?: Run
  /** Why it is skipped. */
  skipReason?: string
  /** Which part of it is not covered. */
  notCovered?: string
  /** Why it runs only with the faults, which have more time and all servers. */
  slowReason?: string
  /** Why it runs only in the full run, not for every change. */
  full?: FullReason
}

type FullReason = 'measures time or memory' | 'samples races' | 'takes long' | 'needs a browser' | 'needs other servers'
type CheckOptions = Pick<Check, 'notCovered' | 'slowReason' | 'full'>

type Run = (world: World) => Promise<string | undefined> | Promise<void>

export const registeredChecks: Check[] = []

export function check(number: string, title: string, run: Run, options: CheckOptions = {}): void {
  registeredChecks.push({ number, title, run, ...options })
}

/** Registers a skipped check, with the reason. */
export function skip(number: string, title: string, skipReason: string): void {
  registeredChecks.push({ number, title, skipReason })
}

/** A check of a module: skipped if the module is not installed. */
export function checkModule(module: string, number: string, title: string, run: Run, options: CheckOptions = {}): void {
  if (hasModule(module)) check(number, title, run, options)
  else skip(number, title, `there is no module ${module}`)
}

/** With all modules installed nothing may be missing: otherwise a rename would silently skip a check. */
export const mayLackModules = () =>
  !['account', 'admin', 'content', 'docs', 'email-code', 'landing', 'organizations'].every(hasModule)

/** Something took too long. The check is retried before it fails, because another process may have used the CPU. */
export class TooSlow extends Error {}

export function assertFast(isFast: boolean, message: string): void {
  if (!isFast) throw new TooSlow(message)
}
