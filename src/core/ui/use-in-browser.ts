import { useSyncExternalStore } from 'react'

const subscribe = () => () => {}

/** A constant that only the browser knows; `before` is used on the server and during hydration. */
export function useInBrowser<Value>(read: () => Value, serverValue: Value): Value {
  return useSyncExternalStore(subscribe, read, () => serverValue)
}
