/** The number of a version as an address has it; null for whatever is none. */
export const numberOf = (given: unknown) =>
  typeof given === 'string' && /^[1-9]\d{0,8}$/.test(given) ? Number(given) : null
