// npm run doctor: what is wrong with this set-up, and how to mend it. Reads only, apart from its scratch files in .data.
// Plain JavaScript and no packages up to here: the doctor must be able to speak when Node is old or nothing is installed.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNewEnough, oldestNode } from './node-requirement.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

function giveUp(what, mend) {
  console.log(`BROKEN ${what}\n         ${mend}`)
  process.exit(1)
}

if (!existsSync(join(root, 'node_modules', 'next'))) giveUp('The packages are not installed', 'Run "npm install".')
if (!isNewEnough(process.versions.node)) {
  giveUp(
    `Node ${process.versions.node} is older than ${oldestNode}`,
    'Run "npm install" again: it brings a current Node into node_modules. Then use "npm run", which finds it.',
  )
}
const { examine } = await import('./doctor.ts')
process.exit((await examine()) ? 0 : 1)
