// Requests in numbers, and what they cost the servers that answer them.
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import type { RunningServer } from '../support/server.ts'

/** Of Linux, about a process: processor seconds that it has used, and bytes that it holds. */
export function usageOf(pid: number): { cpu: number; memory: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, memory: Number(fields[21]) * 4096 }
}

export interface Figures {
  /** Requests a second. */
  rate: number
  /** Microseconds of the servers' processor time for one request. */
  cost: number
}

export interface Request {
  path: string
  headers?: Record<string, string>
  body?: object
}

function send(agent: Agent, url: string, { path, headers = {}, body }: Request): Promise<void> {
  const text = body && JSON.stringify(body)
  const method = text ? 'POST' : 'GET'
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { agent, method, headers: { ...headers, ...(text && { 'content-type': 'application/json' }) } },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
        response.resume()
        response.on('end', resolve)
      },
    )
    sent.on('error', reject)
    sent.end(text)
  })
}

/** Asks over a few connections that stay open. Any answer but 200 ends the run. */
export async function load(
  servers: RunningServer[],
  make: () => Request,
  { seconds, connections = 8 }: { seconds: number; connections?: number },
): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const used = () => servers.reduce((sum, { pid }) => sum + usageOf(pid).cpu, 0)
  const before = used()
  const start = performance.now()
  const end = start + seconds * 1000
  let count = 0
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const { url } = servers[index % servers.length] as RunningServer
      while (performance.now() < end) {
        await send(agent, url, make())
        count++
      }
    }),
  )
  agent.destroy()
  return { rate: count / ((performance.now() - start) / 1000), cost: ((used() - before) / count) * 1e6 }
}
