// Asking the app as people do: over TLS, at the proxy in front of it.
import { type RequestOptions, request } from 'node:https'
import type { RunningProxy } from '../support/proxy.ts'

interface Seen {
  status: number
  text: string
}

/** Every request on a connection of its own. */
export function askProxy(
  { url, certificate }: RunningProxy,
  path: string,
  options: Pick<RequestOptions, 'method' | 'headers'> = {},
): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, url),
      { ca: certificate, agent: false, timeout: 20_000, ...options },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    asked.on('timeout', () => asked.destroy(new Error(`${path}: no answer`)))
    asked.on('error', reject)
    asked.end()
  })
}
