/** Slugs that are paths of other pages under `/posts`. */
export const reservedSlugs = ['covers', 'images', 'preview', 'sitemap']

/** Derives a slug from a title: `slugOf('Über uns', id)` is `uber-uns`. */
export function slugOf(title: string, id: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$/g, '')
  return slug === '' || reservedSlugs.includes(slug) ? `post-${id.slice(0, 8)}` : slug
}
