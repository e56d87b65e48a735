// npx plinth verify asvs: the requirements of OWASP ASVS 5.0.0 at levels 1 and 2, as this app meets them. A proof that belongs to a
// module that the app does not have is left out.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'

interface Requirement {
  id: string
  level: string
  text: string
  state: string
  proofs: string[]
}

const rows = readFileSync(join(root, 'docs', 'asvs.md'), 'utf8').split('\n')
const requirements = rows.flatMap((row): Requirement[] => {
  const [, id = '', level = '', text = '', state = '', proofs = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
  return /^\d+\.\d+\.\d+$/.test(id) ? [{ id, level, text, state, proofs: proofs.split(/, (?=`)/) }] : []
})
if (requirements.length === 0) throw new Error('docs/asvs.md has no requirement')

/** Whether a proof is in this app: a check of the suite, or a file that exists. */
const isHere = (proof: string) => {
  const file = /`((?:src|tests|scripts|docs)\/[^`]+)`/.exec(proof)?.[1]
  return !file || existsSync(join(root, file))
}

for (const { id, level, text, state, proofs } of requirements)
  console.log(
    `${id.padEnd(7)} L${level}  ${state.padEnd(14)}  ${text}  [${proofs.filter(isHere).join(', ') || 'a module that is not installed'}]`,
  )
const counts = Map.groupBy(requirements, ({ state }) => state)
console.log(`\n${[...counts].map(([state, { length }]) => `${length} ${state}`).join(', ')}`)
