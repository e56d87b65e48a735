import { type CallOptions, call } from './http-client.ts'
import { NotInBuild } from './not-in-build.ts'
import type { RunningServer } from './server.ts'
import { type ActionResponse, listActions } from './server-actions.ts'

/** Where requests are sent: a node, or the proxy in front of several. */
export type RequestTarget = Pick<RunningServer, 'url'>

/** React treats a string that starts with `$` as a reference, unless the `$` is doubled. */
const escapeDollar = (_: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('$') ? `$${value}` : value
const unescapeDollar = (_: string, value: unknown) =>
  typeof value === 'string' && value.startsWith('$$') ? value.slice(1) : value

/** Calls a server action like React does, and returns the response with the action's value. */
export async function callAction(
  world: { app: RequestTarget },
  name: string,
  input: unknown,
  { path, node = world.app, ...options }: CallOptions & { path?: string; node?: RequestTarget } = {},
): Promise<ActionResponse> {
  const action = listActions().find((one) => one.name === name)
  if (!action) throw new NotInBuild(`the build has no action ${name}`)
  const response = await call(node.url, path ?? action.page, {
    method: 'POST',
    body: JSON.stringify([input], escapeDollar),
    ...options,
    headers: {
      'Next-Action': action.id,
      'Content-Type': 'text/plain;charset=UTF-8',
      Accept: 'text/x-component',
      ...options.headers,
    },
  })
  const row = response.text.split('\n').find((line) => line.startsWith('1:{'))
  return { ...response, value: row ? JSON.parse(row.slice(2), unescapeDollar) : undefined }
}

/** Calls an action from the app's own origin, like a user's browser. */
export const submitAction = (
  world: { app: RequestTarget },
  name: string,
  input: unknown,
  options: CallOptions & { path?: string; node?: RequestTarget } = {},
) =>
  callAction(world, name, input, {
    ...options,
    headers: { Origin: (options.node ?? world.app).url, 'Sec-Fetch-Site': 'same-origin', ...options.headers },
  })
