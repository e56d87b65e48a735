// Requests to the app over TLS, through the proxy in front of it.
import { type RequestOptions, request } from 'node:https'
import type { RunningProxy } from '../../../app/support/proxy.ts'

interface ProxyResponse {
  status: number
  text: string
}

/** Opens a new connection for every request. */
export function callProxy(
  { url, certificate }: RunningProxy,
  path: string,
  options: Pick<RequestOptions, 'method' | 'headers'> = {},
): Promise<ProxyResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(path, url),
      { ca: certificate, agent: false, timeout: 20_000, ...options },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${path}: no response`)))
    outgoing.on('error', reject)
    outgoing.end()
  })
}
