const counted = (one: string, many: string) => (count: number) => (count === 1 ? one : `${count} ${many}`)

/** What the actions of this module report. Only these texts are shown, whatever the URL says. */
const texts = {
  created: () => 'Organization created.',
  saved: () => 'Settings saved.',
  logo_saved: () => 'Logo saved.',
  logo_removed: () => 'Logo removed.',
  role: () => 'Role changed.',
  removed: () => 'Member removed.',
  transferred: () => 'Organization transferred. You’re an editor now.',
  invited: counted('Invitation sent.', 'invitations sent.'),
  resent: () => 'Invitation resent.',
  revoked: () => 'Invitation revoked.',
  joined: () => 'You’ve joined.',
  declined: () => 'Invitation declined.',
  left: () => 'You’ve left the organization.',
  deleted: () => 'Organization deleted.',
  appointed: () => 'Admin appointed.',
  unchanged: () => 'Nothing changed.',
} satisfies Record<string, (count: number) => string>

export type ResultKind = keyof typeof texts

const isKind = (text: string): text is ResultKind => Object.hasOwn(texts, text)

/** The result in the parameters of a URL, or null if there is none or it was made up. */
export function readResult(params: { get: (name: string) => string | null }): { text: string } | null {
  const kind = params.get('done') ?? ''
  if (!isKind(kind)) return null
  const count = Number(params.get('count') ?? 1)
  return { text: texts[kind](Number.isInteger(count) && count > 0 && count <= 100 ? count : 1) }
}
