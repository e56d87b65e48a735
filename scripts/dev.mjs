// npm run dev, npm run preview: says what is missing in words, where serve.ts could not even be loaded.
import { findSetupProblem } from './setup-problem.mjs'
import { showUsage } from './show-usage.mjs'

showUsage('npm run dev | npm run preview')

const problem = findSetupProblem()
if (problem) {
  console.error(`${problem.message}. ${problem.fix}`)
  process.exit(1)
}
await import('./serve.ts')
