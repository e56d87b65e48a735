/** Capitalizes the first letter, for the display of values that are stored in lower case. */
export const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
