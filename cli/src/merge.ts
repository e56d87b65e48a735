/**
 * Merges by keys instead of lines, and leaves to git only what is a true conflict. Returns another base and another
 * next: the user's own content with the template's changes in it that nobody else touched. Where both changed one key,
 * base and next hold the template's two values, so that git finds exactly that conflict and shows it as any other.
 */
export function mergeKeys<Value>(
  base: Map<string, Value>,
  next: Map<string, Value>,
  user: Map<string, Value>,
  isSame: (a: Value | undefined, b: Value | undefined) => boolean = (a, b) => a === b,
): { base: Map<string, Value>; next: Map<string, Value> } {
  const newBase = new Map(user)
  const newNext = new Map(user)
  const put = (map: Map<string, Value>, key: string, value: Value | undefined, order: string[]) => {
    if (value === undefined) map.delete(key)
    else if (map.has(key)) map.set(key, value)
    else insert(map, key, value, order)
  }
  for (const key of new Set([...base.keys(), ...next.keys()])) {
    const [was, becomes, is] = [base.get(key), next.get(key), user.get(key)]
    if (isSame(was, becomes) || isSame(is, becomes)) continue
    put(newNext, key, becomes, [...next.keys()])
    if (!isSame(is, was)) put(newBase, key, was, [...base.keys()])
  }
  return { base: newBase, next: newNext }
}

/** Puts a new key behind the one that it stands behind in the template, so that it does not matter which came first. */
function insert<Value>(map: Map<string, Value>, key: string, value: Value, order: string[]): void {
  const before = order.slice(0, order.indexOf(key)).findLast((one) => map.has(one))
  const entries = [...map]
  const at = before === undefined ? 0 : entries.findIndex(([one]) => one === before) + 1
  entries.splice(at, 0, [key, value])
  map.clear()
  for (const entry of entries) map.set(...entry)
}
