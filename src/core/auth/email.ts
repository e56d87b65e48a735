// Plain addresses in ASCII: quoted parts, comments and address literals have been used to send mail to somebody else, and
// look-alike letters to take somebody else's name. Each part is bounded, so no input takes long to refuse.
const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** One spelling for every way to write the same address, or null for what is none. */
export function normalizeEmail(text: string): string | null {
  if (text.length > 320) return null
  const trimmed = text.trim()
  // Before anything is made small: the sign for Kelvin would become a plain k.
  if (/[^\x21-\x7e]/.test(trimmed)) return null
  const address = trimmed.toLowerCase()
  const at = address.lastIndexOf('@')
  const name = address.slice(0, at)
  const labels = address.slice(at + 1).split('.')
  const isSound =
    at > 0 &&
    at <= 64 &&
    address.length <= 254 &&
    local.test(name) &&
    labels.length >= 2 &&
    labels.every((part) => label.test(part)) &&
    /^[a-z][a-z0-9-]*[a-z]$/.test(labels.at(-1) ?? '')
  return isSound ? address : null
}
