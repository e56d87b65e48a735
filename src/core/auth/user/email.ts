// Only plain ASCII emails: quoted parts, comments and IP literals have been used to redirect emails to an attacker, and
// look-alike letters to impersonate other users. Lengths are bounded, so no input takes long to reject.
const local = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Returns the email trimmed and in lower case, or null if it is invalid. */
export function normalizeEmail(text: string): string | null {
  if (text.length > 320) return null
  const trimmed = text.trim()
  // Check before lowercasing: the Kelvin sign (U+212A) would become a plain k.
  if (/[^\x21-\x7e]/.test(trimmed)) return null
  const email = trimmed.toLowerCase()
  const at = email.lastIndexOf('@')
  const name = email.slice(0, at)
  const labels = email.slice(at + 1).split('.')
  const isValid =
    at > 0 &&
    at <= 64 &&
    email.length <= 254 &&
    local.test(name) &&
    labels.length >= 2 &&
    labels.every((part) => label.test(part)) &&
    /^[a-z][a-z0-9-]*[a-z]$/.test(labels.at(-1) ?? '')
  return isValid ? email : null
}
