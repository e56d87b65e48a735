// Why pages failed. `onRequestError` knows the error but has no response; `writeHead` has the response but not the error.

const shared = globalThis as { plinthFailures?: Map<string, FailureStatus>; plinthActions?: Set<string> }
shared.plinthFailures ??= new Map()
shared.plinthActions ??= new Set()
const { plinthFailures: failures, plinthActions: actions } = shared

/** The database is down, or React could not read the arguments of the action. */
export type FailureStatus = 503 | 400

const forgetLater = (forget: () => void, seconds: number) => {
  const timer: { unref?(): void } | number = setTimeout(forget, seconds * 1_000)
  if (typeof timer === 'object') timer.unref?.()
}

/** Called when a page fails, before its response begins. */
export function markFailure(requestId: string, status: FailureStatus): void {
  failures.set(requestId, status)
  // A response that had already begun never takes it.
  forgetLater(() => failures.delete(requestId), 10)
}

/** The status of the response to this request, if its page failed for one of these reasons. Removes the note. */
export function takeFailure(requestId: string): FailureStatus | undefined {
  const status = failures.get(requestId)
  failures.delete(requestId)
  return status
}

/**
 * Called when an action begins. `policy` is the policy that proxy.ts gave to the request: it has a nonce, so it is different for
 * each, while callers choose the id of a request.
 */
export function noteAction(policy: string | null): void {
  if (!policy) return
  actions.add(policy)
  // Long after the page that follows the action has failed, if it does.
  forgetLater(() => actions.delete(policy), 120)
}

/** Whether the request is for an action that never began: React could not read its arguments. */
export const isUnreadAction = (method: string, policy: string | undefined): boolean =>
  method === 'POST' && policy !== undefined && !actions.has(policy)
