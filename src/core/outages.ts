// Pages that could not be made because what they need is away. The one who learns of it cannot reach the answer, and the
// one who writes the answer's head does not know why it is 500.
const shared = globalThis as { plinthOutages?: Set<string> }
shared.plinthOutages ??= new Set()
const requests = shared.plinthOutages

/** Called when a page fails, before its answer begins. */
export function noteOutage(requestId: string): void {
  requests.add(requestId)
  // An answer that had begun by then never asks.
  const timer: { unref?(): void } | number = setTimeout(() => requests.delete(requestId), 10_000)
  if (typeof timer === 'object') timer.unref?.()
}

/** Whether that was noted of this request. It is forgotten with the answer. */
export const takeOutage = (requestId: string): boolean => requests.delete(requestId)
