// Plain JavaScript without packages: it must run even if Node is too old or nothing is installed.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNewEnough, minimumNode } from './node-requirement.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * What keeps every script of the app from running; null if nothing does.
 * @returns {{ message: string, fix: string } | null}
 */
export function findSetupProblem() {
  if (!existsSync(join(root, 'node_modules', 'next')))
    return { message: 'Packages aren’t installed', fix: 'Run "npm install".' }
  if (!isNewEnough(process.versions.node))
    return {
      message: `Node ${process.versions.node} is older than ${minimumNode}`,
      fix: 'Run "npm install" again. It installs a current Node into node_modules, which "npm run" then uses.',
    }
  return null
}
