/** Letters of other alphabets have no equivalent here: a name of only such letters gets a slug from its id. */
export function slugFromName(name: string, id: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 39)
    .replaceAll(/^-+|-+$/g, '')
  return slug.length >= 2 ? slug : `org-${id.slice(0, 8)}`
}

export const slugPattern = /^[a-z0-9](?:[a-z0-9-]{0,37}[a-z0-9])$/
/** How long the slugs of a deleted organization stay reserved. */
export const reservedDays = 90

/** A UUID would be the id of another organization. */
export const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
