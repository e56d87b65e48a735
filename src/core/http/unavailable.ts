// Ids of requests whose page failed because the database is down. `onRequestError` knows the error but has no response;
// `writeHead` has the response but not the error. This set joins them by request id.
const shared = globalThis as { plinthOutages?: Set<string> }
shared.plinthOutages ??= new Set()
const requests = shared.plinthOutages

/** Called when a page fails, before its response begins. */
export function markUnavailable(requestId: string): void {
  requests.add(requestId)
  // A response that had already begun never calls consumeUnavailable.
  const timer: { unref?(): void } | number = setTimeout(() => requests.delete(requestId), 10_000)
  if (typeof timer === 'object') timer.unref?.()
}

/** Whether this request failed because of an outage. Removes the note. */
export const consumeUnavailable = (requestId: string): boolean => requests.delete(requestId)
