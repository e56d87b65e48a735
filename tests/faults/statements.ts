// Loses the connection to PostgreSQL at one statement, counted over all connections.
import type { ChaosProxy, Wire } from './chaos-proxy.ts'

/** How many statements end in this chunk: a plain query is one message, all others end with Sync. */
function makeCounter(): (chunk: Buffer) => number {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    let count = 0
    for (;;) {
      // The first message of a connection has no kind.
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

export type Loss = 'the statement is lost' | 'its answer is lost'

/** Counts statements from now on. Connections that are there are cut: one is understood only from its beginning. */
export function watchStatements(proxy: ChaosProxy) {
  const counters = new WeakMap<Wire, (chunk: Buffer) => number>()
  let seen = 0
  let fatal = Number.POSITIVE_INFINITY
  let loss: Loss = 'the statement is lost'
  proxy.onSent = (chunk, wire) => {
    const counter = counters.get(wire) ?? makeCounter()
    counters.set(wire, counter)
    const before = seen
    seen += counter(chunk)
    const isNow = before < fatal && seen >= fatal
    if (isNow && loss === 'its answer is lost') wire.deafen()
    return !(isNow && loss === 'the statement is lost')
  }
  proxy.cut()
  return {
    /** Counts from one, and cuts the connection that sends the statement with that number. */
    arm: (number: number, how: Loss) => {
      seen = 0
      fatal = number
      loss = how
    },
    /** Cuts no more. Returns whether it did. */
    disarm: () => {
      const hasCut = seen >= fatal
      fatal = Number.POSITIVE_INFINITY
      return hasCut
    },
  }
}
