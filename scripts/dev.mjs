// npm run dev, npm run preview. Explains what is missing when serve.ts cannot be loaded.
import { findSetupProblem } from './setup-problem.mjs'
import { showUsage } from './show-usage.mjs'

showUsage('npm run dev | npm run preview')

const problem = findSetupProblem()
if (problem) {
  console.error(`${problem.message}. ${problem.fix}`)
  process.exit(1)
}
await import('./serve.ts')
