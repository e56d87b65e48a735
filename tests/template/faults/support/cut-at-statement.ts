// Breaks the connection to PostgreSQL at the n-th statement, counted over all connections.
import type { ChaosProxy, ProxiedConnection } from './chaos-proxy.ts'

/** Number of statements that end in this chunk: a simple query is one message, all others end with Sync. */
export function makeCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let count = 0
    for (;;) {
      // The startup message of a connection has no type byte.
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return count
      const size = head + rest.readInt32BE(head)
      if (rest.length < size) return count
      if (isStarted && 'QS'.includes(String.fromCharCode(rest[0] ?? 0))) count++
      isStarted = true
      rest = rest.subarray(size)
    }
  }
}

export type Loss = 'the statement is lost' | 'the response is lost'

/** Counts statements from now on. Existing connections are cut, because a stream can be parsed only from its start. */
export function cutAtStatement(proxy: ChaosProxy) {
  const counters = new WeakMap<ProxiedConnection, (chunk: Buffer) => number>()
  let statementCount = 0
  let cutAt = Number.POSITIVE_INFINITY
  let loss: Loss = 'the statement is lost'
  proxy.onSent = (chunk, wire) => {
    const counter = counters.get(wire) ?? makeCounter()
    counters.set(wire, counter)
    const before = statementCount
    statementCount += counter(chunk)
    const isNow = before < cutAt && statementCount >= cutAt
    if (isNow && loss === 'the response is lost') wire.dropNextResponse()
    return !(isNow && loss === 'the statement is lost')
  }
  proxy.cut()
  return {
    /** Restarts the count, and cuts the connection that sends the statement with that number. */
    arm: (number: number, how: Loss) => {
      statementCount = 0
      cutAt = number
      loss = how
    },
    /** Stops cutting. Returns whether a connection was cut. */
    disarm: () => {
      const hasCut = statementCount >= cutAt
      cutAt = Number.POSITIVE_INFINITY
      return hasCut
    },
  }
}
