/** Words per minute of a reader. */
const readingSpeed = 220

const count = (number: number, noun: string) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`

/** "48 words · 1 min read" */
export function describeLength(body: string): string {
  const words = body.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu)?.length ?? 0
  return `${count(words, 'word')} · ${Math.max(1, Math.round(words / readingSpeed))} min read`
}

export interface Heading {
  level: number
  text: string
  /** Where its line begins. */
  at: number
}

/** The headings of a text, without those in code blocks. */
export function findHeadings(body: string): Heading[] {
  const headings: Heading[] = []
  let at = 0
  let fence: string | undefined
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark && (!fence || (mark.startsWith(fence.charAt(0)) && mark.length >= fence.length)))
      fence = fence ? undefined : mark
    const [, level = '', text = ''] = (!fence && /^ {0,3}(#{1,6}) +(.*?)[ #]*$/.exec(line)) || []
    if (text) headings.push({ level: level.length, text, at })
    at += line.length + 1
  }
  return headings
}
