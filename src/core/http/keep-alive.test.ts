import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '../env'
import { closeIdleConnections, setKeepAlive } from './keep-alive'

const server = createServer((_, response) => response.end())
const port = () => (server.address() as AddressInfo).port

beforeAll(async () => {
  setKeepAlive()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('a server keeps idle connections open for KEEP_ALIVE_TIMEOUT', async () => {
  await fetch(`http://127.0.0.1:${port()}/`)
  expect(server.keepAliveTimeout).toBe(env.KEEP_ALIVE_TIMEOUT)
})

test('idle connections are closed, also one that was opened and never used', async () => {
  const accepted = once(server, 'connection')
  const unused = connect(port(), '127.0.0.1')
  await accepted
  const closed = once(unused, 'close')
  closeIdleConnections()
  await closed
})
