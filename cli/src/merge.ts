/**
 * Merges by keys instead of lines, and leaves only real conflicts to git. Returns a new base and a new next, both made from
 * the user's content: next also has the changes of the template that do not conflict. Where user and template both changed
 * a key, base and next hold the template's old and new value, so that git reports exactly that conflict.
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

/** Inserts a new key after its predecessor in the template, so that the result does not depend on the order of merges. */
function insert<Value>(map: Map<string, Value>, key: string, value: Value, order: string[]): void {
  const before = order.slice(0, order.indexOf(key)).findLast((one) => map.has(one))
  const entries = [...map]
  const at = before === undefined ? 0 : entries.findIndex(([one]) => one === before) + 1
  entries.splice(at, 0, [key, value])
  map.clear()
  for (const entry of entries) map.set(...entry)
}
