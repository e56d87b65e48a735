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
