import { useSyncExternalStore } from 'react'

const never = () => () => {}

/** Something that only the browser knows and that does not change; `before` stands for it until the page is awake. */
export function useInBrowser<Fact>(read: () => Fact, before: Fact): Fact {
  return useSyncExternalStore(never, read, () => before)
}
