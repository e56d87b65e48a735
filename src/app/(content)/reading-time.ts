/** About 230 words of English, with their markup. */
const charactersPerMinute = 1_400

/** The number of characters of a post's HTML, without the elements that color code. */
export const readableLength = (html: string) => html.replaceAll(/<\/?span[^>]*>/g, '').length

/** An estimate, from the number of characters. */
export const readingMinutes = (characters: number) => Math.max(1, Math.round(characters / charactersPerMinute))
