/** Follows all links from these pages. Returns the paths that they lead to, and the links to a page that is not there. */
export async function followLinks(
  get: (path: string) => Promise<Response>,
  start: string[],
): Promise<{ reached: string[]; dead: string[] }> {
  const waiting = start.map((path) => ({ path, from: 'the start' }))
  const seen = new Set<string>()
  const reached: string[] = []
  const dead: string[] = []
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { path, from } = next
    const { pathname } = new URL(path, 'http://localhost')
    // One user, one event and one post stand for all.
    const kind = pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\/\d+(?:-\d+)?(?=\/|$)/g, '/[id]')
    if (seen.has(kind)) continue
    seen.add(kind)
    reached.push(pathname)
    const response = await get(path)
    const html = await response.text()
    if (response.status >= 400) dead.push(`${response.status} ${path}, linked on ${from}`)
    const target = response.headers.get('location')
    const links = [...html.matchAll(/<a\b[^>]*?\shref="(\/[^"#]*)/g)].map(([, href = '']) => href)
    for (const link of target?.startsWith('/') ? [target] : links)
      waiting.push({ path: link.replaceAll('&amp;', '&'), from: path })
  }
  return { reached, dead }
}
