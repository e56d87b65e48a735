import { readFileSync } from 'node:fs'

/** Resident memory of a process in megabytes. */
const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Peak memory of a process during the work, in megabytes above what it used before. */
export async function addedMemory(pid: number, work: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(pid)
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(pid))
  }, 20)
  await work().finally(() => clearInterval(watch))
  return Math.max(peak, memoryOf(pid)) - before
}
