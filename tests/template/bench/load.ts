// Sends requests, and measures the processor time that servers need for them (Linux only).
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { RunningServer } from '../../app/support/server.ts'

/** The server and what loads it never share a core: a switch between them would count as time of the server. */
const serverCore = '0'
const loadCore = '1'
export const pinnedToServerCore = ['taskset', '-c', serverCore]

/** Moves this process to the core of the load. */
export function pinLoad(): void {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', loadCore, String(process.pid)], { stdio: 'ignore' })
  } catch (cause) {
    throw new Error('The bench needs Linux, taskset (util-linux) and two cores.', { cause })
  }
}

/** Moves connections of PostgreSQL away from the core of the server, if they are on this machine and we may. */
export function pinAway(pids: number[]): void {
  for (const pid of pids) spawnSync('taskset', ['-c', '-p', loadCore, String(pid)], { stdio: 'ignore' })
}

type Usage = { threads: Map<string, number>; ticks: number }

/** The time of each thread in nanoseconds, and of the whole process in ticks of 10 ms, which includes threads that have ended. */
function usageOf(pid: number): Usage {
  const threads = new Map<string, number>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    try {
      threads.set(id, Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ', 1)[0]))
    } catch {
      // It has just ended.
    }
  }
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return { threads, ticks: Number(fields[11]) + Number(fields[12]) }
}

/** Nanoseconds between two readings. */
function timeBetween(before: Usage, after: Usage): number {
  // What an ended thread has used since `before` is only in the coarse figure.
  if ([...before.threads.keys()].some((id) => !after.threads.has(id))) return (after.ticks - before.ticks) * 1e7
  let sum = 0
  for (const [id, time] of after.threads) sum += time - (before.threads.get(id) ?? 0)
  return sum
}

/** Resident memory in bytes. */
export const memoryOf = (pid: number) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096

export interface Request {
  path: string
  headers?: Record<string, string>
  body?: object
}

export interface Figures {
  /** Processor time of the servers per request, in microseconds. */
  cost: number
  /** Requests per second. */
  rate: number
}

export interface Client {
  /** Sends this many requests, divided among the servers. Any status but 200 aborts the run. */
  load(make: () => Request, requests: number): Promise<Figures>
  /** Sends requests until the work is over. */
  during<Data>(make: () => Request, work: () => Promise<Data>): Promise<Data>
  close(): void
}

/** Opens connections that stay open between turns: opening them would be a cost of the turn. */
export function openClient(servers: RunningServer[], connections = 8): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' })
  const urlOf = (index: number) => (servers[index % servers.length] as RunningServer).url
  const onEach = (work: (url: string) => Promise<void>) =>
    Promise.all(Array.from({ length: connections }, (_, index) => work(urlOf(index))))
  return {
    load: async (make, requests) => {
      let left = requests
      const before = servers.map(({ pid }) => usageOf(pid))
      const start = performance.now()
      await onEach(async (url) => {
        while (left-- > 0) await send(agent, url, make())
      })
      const seconds = (performance.now() - start) / 1000
      const used = servers.reduce((sum, { pid }, index) => sum + timeBetween(before[index] as Usage, usageOf(pid)), 0)
      return { cost: used / 1000 / requests, rate: requests / seconds }
    },
    during: async (make, work) => {
      let isOver = false
      const sending = onEach(async (url) => {
        while (!isOver) await send(agent, url, make())
      })
      const result = await work().finally(() => {
        isOver = true
      })
      await sending
      return result
    },
    close: () => agent.destroy(),
  }
}

function send(agent: Agent, url: string, { path, headers = {}, body }: Request): Promise<void> {
  const text = body && JSON.stringify(body)
  const method = text ? 'POST' : 'GET'
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { agent, method, headers: { ...headers, ...(text && { 'content-type': 'application/json' }) } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} responded ${response.statusCode}`))
        response.resume()
        response.on('end', resolve)
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}
