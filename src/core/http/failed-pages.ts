// Why pages failed. `onRequestError` knows the error but has no response; `writeHead` has the response but not the error.

type Timer = ReturnType<typeof setTimeout>

const shared = globalThis as { plinthFailures?: Map<string, FailureStatus>; plinthActions?: Map<string, Timer> }
shared.plinthFailures ??= new Map()
shared.plinthActions ??= new Map()
const { plinthFailures: failures, plinthActions: actions } = shared

/** The database is down, or React could not read the arguments of the action. */
export type FailureStatus = 503 | 400

function forgetLater(forget: () => void, seconds: number): Timer {
  const timer = setTimeout(forget, seconds * 1_000)
  timer.unref?.()
  return timer
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
 * What tells requests apart: the nonce in the policy that proxy.ts gave to each, and to its response. Callers choose the id of a
 * request.
 */
const nonceOf = (policy: string | null | undefined) => /'nonce-([^']+)'/.exec(policy ?? '')?.[1]

/** Called when an action begins. `policy` is that of the request. */
export function noteAction(policy: string | null): void {
  const nonce = nonceOf(policy)
  // Long after the page that follows the action has failed, if the end of the response does not tell.
  if (nonce)
    actions.set(
      nonce,
      forgetLater(() => actions.delete(nonce), 120),
    )
}

/** Called when a response is over, with its policy. */
export function forgetAction(policy: string): void {
  const nonce = nonceOf(policy)
  if (nonce === undefined) return
  clearTimeout(actions.get(nonce))
  actions.delete(nonce)
}

/** Whether the request is for an action that never began: React could not read its arguments. */
export function isUnreadAction(method: string, policy: string | undefined): boolean {
  const nonce = nonceOf(policy)
  return method === 'POST' && nonce !== undefined && !actions.has(nonce)
}
