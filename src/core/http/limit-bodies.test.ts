import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limitBodies } from './limit-bodies'

const server = createServer((request, response) => {
  request.on('error', () => {})
  request.resume().on('end', () => response.end('all read'))
})
beforeAll(async () => {
  limitBodies()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const port = () => (server.address() as AddressInfo).port

interface Sender {
  socket: Socket
  /** The status of the response; 0 when the connection was closed without one. */
  status: Promise<number>
}

/** Sends this many bytes of a body that never ends, and resolves once they are written. */
function sendForever(bytes: number): Promise<Sender> {
  return new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1')
    const status = new Promise<number>((tell) => {
      socket.once('data', (text) => tell(Number(String(text).split(' ')[1])))
      socket.once('close', () => tell(0))
      socket.on('error', () => {})
    })
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes + 1}\r\n\r\n`)
    socket.write(Buffer.alloc(bytes, 'x'), () => resolve({ socket, status }))
  })
}

const post = async () => {
  const response = await fetch(`http://127.0.0.1:${port()}/`, { method: 'POST', body: 'x'.repeat(10_000) })
  return response.status
}

test('the oldest of too many incomplete bodies are rejected; a complete one is served', async () => {
  const senders: Sender[] = []
  // At most 196,608 bytes of each are counted, so 170 fit.
  for (let count = 0; count < 180; count++) senders.push(await sendForever(250_000))
  expect(await post()).toBe(200)
  const early = await Promise.all(senders.slice(0, 10).map(({ status }) => status))
  expect(early.every((status) => [503, 0].includes(status))).toBe(true)
  expect(early).toContain(503)
  expect(senders.slice(11).filter(({ socket }) => socket.destroyed)).toHaveLength(0)
  for (const { socket } of senders) socket.destroy()
})

test('bytes of closed connections no longer count', async () => {
  const senders = await Promise.all(Array.from({ length: 100 }, () => sendForever(200_000)))
  for (const { socket } of senders) socket.destroy()
  await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBeLessThan(5)
  const others = await Promise.all(Array.from({ length: 150 }, () => sendForever(200_000)))
  expect(await post()).toBe(200)
  expect(others.filter(({ socket }) => socket.destroyed)).toHaveLength(0)
  for (const { socket } of others) socket.destroy()
})
