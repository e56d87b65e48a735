/**
 * Where to go after sign-in: a page of this app, or the fallback. The value comes from a link that anybody may have made,
 * so nothing that a browser could read as another site gets through.
 */
export function returnPath(value: unknown, fallback = '/'): string {
  if (typeof value !== 'string' || value.length > 2048) return fallback
  // A backslash counts as a slash to browsers; control characters are dropped by them.
  if (!/^\/(?![/\\])/.test(value) || /[\\\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return fallback
  const base = 'http://app.invalid'
  if (!URL.canParse(value, base)) return fallback
  const { origin, pathname, search, hash } = new URL(value, base)
  const isPage = origin === base && !/^\/(api|_next)(\/|$)/i.test(pathname) && !pathname.startsWith('//')
  return isPage ? pathname + search + hash : fallback
}
