// Plain JavaScript, because a Node that is too old must be able to run it.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The minimum Node version of the project, from package.json. */
export const minimumNode = engines.node.replace(/^>=/, '')

export function isNewEnough(version) {
  const [wantMajor, wantMinor] = minimumNode.split('.').map(Number)
  const [major, minor] = version.split('.').map(Number)
  return major > wantMajor || (major === wantMajor && minor >= wantMinor)
}
