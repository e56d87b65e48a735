// How a property is tried: how often, from which seed, and what is tried before anything is made up.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

/** FC_RUNS=10000 for a long night. */
export const runs = Number(process.env.FC_RUNS ?? 300)

/** Another one each time; in CI one for all, or a change could be refused for what was there before. FC_SEED and FC_PATH repeat what went wrong. */
const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
const path = process.env.FC_PATH

/** What was found once, and what is known to be awkward: one list of arguments for each property, committed. */
function corpusOf<Arguments>(number: string): Arguments[] {
  const file = join(import.meta.dirname, 'corpus', `${number.toLowerCase()}.json`)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Tries a property, or fails with the smallest counterexample and how to see it again. */
export async function holds<Arguments>(
  number: string,
  property: fc.IRawProperty<Arguments>,
  { examples = corpusOf<Arguments>(number), note }: { examples?: Arguments[]; note?: () => string } = {},
): Promise<string> {
  const settings = { numRuns: runs, seed, examples, ...(path && { path }) }
  const details = await fc.check(property, settings)
  if (details.failed) {
    const found = (await fc.asyncDefaultReportMessage(details)) ?? 'it failed'
    const again = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath} npm run test:hostile -- ${number}`
    const reason = details.errorInstance instanceof Error ? details.errorInstance.message : details.errorInstance
    throw new Error(`${found}\n${reason}\nTo see it again: ${again}`)
  }
  const more = note ? `; ${note()}` : ''
  return `${details.numRuns} runs, ${examples.length} of them known, seed ${details.seed}${more}`
}
