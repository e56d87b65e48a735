// npm run doctor: what is wrong with this setup, and how to fix it. Read-only, apart from temporary files in .data.
import { findSetupProblem } from './setup-problem.mjs'
import { showUsage } from './show-usage.mjs'

showUsage('npm run doctor')

const problem = findSetupProblem()
if (problem) {
  console.log(`BROKEN ${problem.message}\n         ${problem.fix}`)
  process.exit(1)
}
const { runChecks } = await import('./doctor.ts')
process.exit((await runChecks()) ? 0 : 1)
