/** What an event of the audit log is called: `role.changed` is "Role changed", with what changed after it. */
export function eventInWords(
  kind: string,
  details: Record<string, string | number | boolean> | null,
  actingName: string | null = null,
): string {
  const words = kind.replaceAll(/[._]/g, ' ')
  const { from, to, acting_admin: actingAdmin, ...rest } = details ?? {}
  const facts = [
    ...(from !== undefined && to !== undefined ? [`from ${from} to ${to}`] : []),
    ...Object.entries(rest).map(([name, value]) => (value === true ? wordsOf(name) : `${wordsOf(name)}: ${value}`)),
    ...(actingAdmin === undefined ? [] : [`done for them by ${actingName ?? 'an admin who is gone'}`]),
  ]
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${facts.length > 0 ? `, ${facts.join(', ')}` : ''}`
}

/** `isSearch` is "search". */
const wordsOf = (name: string) =>
  name
    .replace(/^is(?=[A-Z])/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, ' $&')
    .toLowerCase()
