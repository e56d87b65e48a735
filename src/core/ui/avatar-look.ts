/** A hue that is the same everywhere for the same user. */
export const hueOf = (id: string) => Number.parseInt(id.slice(0, 6), 16) % 360 || 160

export const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('')
