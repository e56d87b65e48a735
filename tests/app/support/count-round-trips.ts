// Counts the statements and the round trips of an operation, on the wire: the app connects through relays in front of
// PostgreSQL and Redis. A relay holds the responses back until there is one to everything that was sent. So what is sent
// together counts as one round trip, however fast the servers are, and what waits for a response counts as another.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What was sent together, in order. */
type RoundTrip = string[]

let roundTrips: RoundTrip[] = []
let isRecording = false
let isWaiting = false
let pending = 0
let held: (() => void)[] = []

function noteSent(text: string): void {
  if (!isRecording) return
  if (!isWaiting) roundTrips.push([])
  isWaiting = true
  roundTrips.at(-1)?.push(text)
}

function forward(response: () => void): void {
  held.push(response)
  if (isRecording && pending > 0) return
  const responses = held
  held = []
  isWaiting = false
  for (const send of responses) send()
}

/** Runs the work, and returns what it sent, by round trip. Nothing else may use the servers meanwhile. */
export async function countRoundTrips(work: () => Promise<unknown>): Promise<RoundTrip[]> {
  roundTrips = []
  isRecording = true
  try {
    await work()
    return roundTrips
  } finally {
    isRecording = false
  }
}

/** Calls back with each message of PostgreSQL's protocol: a type, a length, a body. Only the first of a client has no type. */
function messageReader(read: (type: string, body: Buffer) => void, hasType: boolean) {
  let rest = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = hasType ? 1 : 0
      if (rest.length < start + 4) return
      const end = start + rest.readInt32BE(start)
      if (rest.length < end) return
      read(hasType ? String.fromCharCode(rest[0] ?? 0) : '', rest.subarray(start + 4, end))
      rest = rest.subarray(end)
      hasType = true
    }
  }
}

function relayPostgres(client: Socket, server: Socket): void {
  let isAuthenticated = false
  const prepared = new Map<string, string>()
  let bound = ''
  const readSent = messageReader((type, body) => {
    const [first = '', second = ''] = body.toString().split('\0', 2)
    if (type === 'P') prepared.set(first, second)
    if (type === 'B') bound = prepared.get(second) ?? ''
    if (type === 'Q') noteSent(first)
    if (type === 'E') noteSent(bound)
    if (type === 'Q' || type === 'S') pending++
  }, false)
  const readResponse = messageReader((type) => {
    if (type !== 'Z') return
    if (isAuthenticated) pending--
    isAuthenticated = true
  }, true)
  client.on('data', (chunk) => {
    readSent(chunk)
    server.write(chunk)
  })
  server.on('data', (chunk) => {
    const isConnecting = !isAuthenticated
    readResponse(chunk)
    if (isConnecting) client.write(chunk)
    else forward(() => client.write(chunk))
  })
}

/** Replies are small and arrive in one piece, so the next reply belongs to the command that was sent. */
function relayRedis(client: Socket, server: Socket): void {
  let hasReply = true
  const noteReply = () => {
    if (!hasReply) pending--
    hasReply = true
  }
  client.on('data', (chunk) => {
    for (const [, name = ''] of chunk.toString().matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) noteSent(`redis ${name}`)
    if (hasReply) pending++
    hasReply = false
    server.write(chunk)
  })
  server.on('data', (chunk) => {
    noteReply()
    forward(() => client.write(chunk))
  })
  // Before the server accepts connections, a command gets no reply.
  server.on('close', noteReply)
}

/** Starts a relay in front of the server at this URL. Returns the URL of the relay. */
export async function startRelay(url: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url)
  const relay = protocol === 'redis:' ? relayRedis : relayPostgres
  const listener = createServer((client) => {
    const server = connect(Number(port), hostname)
    relay(client, server)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  listener.unref()
  const relayUrl = new URL(url)
  relayUrl.hostname = '127.0.0.1'
  relayUrl.port = String((listener.address() as AddressInfo).port)
  return relayUrl.href
}
