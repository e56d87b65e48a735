/** Parses a revision number from a URL; null if it is invalid. */
export const parseRevisionNumber = (value: unknown) =>
  typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : null
