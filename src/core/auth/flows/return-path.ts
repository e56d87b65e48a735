/**
 * The path to go to after sign-in: a page of this app, or the fallback. The value may come from an attacker's link, so
 * anything that a browser could resolve to another site is rejected (open redirect).
 */
export function returnPath(value: unknown, fallback = '/'): string {
  if (typeof value !== 'string' || value.length > 2048) return fallback
  // Browsers treat a backslash as a slash, and drop control characters.
  if (!/^\/(?![/\\])/.test(value) || /[\\\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return fallback
  const base = 'http://app.invalid'
  if (!URL.canParse(value, base)) return fallback
  const { origin, pathname, search, hash } = new URL(value, base)
  const isPage = origin === base && !/^\/(api|_next)(\/|$)/i.test(pathname) && !pathname.startsWith('//')
  return isPage ? pathname + search + hash : fallback
}
