// Runs a property: the number of runs, the seed, and the examples that are tried first.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { rounds, seed } from '../../../support/rounds.ts'

export const runs = rounds(300, 60)

/** FC_SEED and FC_PATH reproduce a failure. */
const path = process.env.FC_PATH

/** Earlier counterexamples and known edge cases: one committed file of argument lists per property. */
function readExamples<Arguments>(number: string): Arguments[] {
  const file = join(import.meta.dirname, 'corpus', `${number.toLowerCase()}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Runs a property, or throws with the smallest counterexample and the command that reproduces it. */
export async function assertProperty<Arguments>(
  number: string,
  property: fc.IRawProperty<Arguments>,
  {
    examples = readExamples<Arguments>(number),
    note,
    numRuns = runs,
  }: { examples?: Arguments[]; note?: () => string; numRuns?: number } = {},
): Promise<string> {
  const settings = { numRuns, seed, examples, ...(path && { path }) }
  const details = await fc.check(property, settings)
  if (details.failed) {
    const found = (await fc.asyncDefaultReportMessage(details)) ?? 'it failed'
    const command = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath} npm run test:security -- ${number}`
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : details.errorInstance
    throw new Error(`${found}\n${reason}\nTo reproduce: ${command}`)
  }
  const suffix = note ? `; ${note()}` : ''
  return `${details.numRuns} runs, ${examples.length} of them examples, seed ${details.seed}${suffix}`
}
