import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './root.ts'

const fileIn = (folder: string) => join(folder, '.data', 'dev.json')

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Records the server of development, so that the next start finds it if this process is killed. */
export function recordServer(server: number, { folder = root, parent = process.pid } = {}): void {
  mkdirSync(dirname(fileIn(folder)), { recursive: true })
  writeFileSync(fileIn(folder), JSON.stringify({ parent, server }))
}

export const forgetServer = (folder = root) => rmSync(fileIn(folder), { force: true })

/** The server that a killed `npm run dev` of this folder has left, if it still runs. Its number may belong to another process. */
function findLeftOver(folder: string): number | undefined {
  try {
    const { parent, server } = JSON.parse(readFileSync(fileIn(folder), 'utf8')) as { parent: number; server: number }
    if (isAlive(parent) || !isAlive(server)) return
    const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(server)], { encoding: 'utf8' })
    return stdout?.includes(join(folder, 'node_modules', 'next')) ? server : undefined
  } catch {
    return
  }
}

/** Ends it. PostgreSQL needs no such care: the next start uses the one that runs, and stops it in the end. */
export async function endLeftOver(folder = root): Promise<void> {
  const server = findLeftOver(folder)
  forgetServer(folder)
  if (server === undefined) return
  process.kill(server, 'SIGTERM')
  for (let tries = 0; tries < 50 && isAlive(server); tries++) await new Promise((resolve) => setTimeout(resolve, 100))
  if (isAlive(server)) process.kill(server, 'SIGKILL')
  console.log('Ended the server of an earlier "npm run dev", which was killed.')
}
