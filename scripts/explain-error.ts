import { describeDatabaseError } from '../src/core/doctor/describe-database-error.ts'

/** What to print about an error: words for what usually goes wrong, and the message of anything else. */
export function explainError(error: unknown): string {
  const database = describeDatabaseError(error)
  if (database) return `${database.message}\n${database.fix}`
  return error instanceof Error ? error.message : String(error)
}

/** Ends the process with words instead of a stack. STACKS=1 shows the stack as well. */
export function exitWithExplanation(): void {
  process.on('uncaughtException', (error) => {
    console.error(`\n${explainError(error)}`)
    if (process.env.STACKS) console.error(error)
    else console.error('"npm run doctor" checks the whole setup; STACKS=1 shows where it happened.')
    process.exit(1)
  })
}
