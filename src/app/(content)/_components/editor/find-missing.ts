import type { Fields } from '../editor-fields'

/** What a post lacks that readers would miss. */
export function findMissing({ title, summary, body }: Fields, hasCover: boolean): string[] {
  const missing = {
    'A title of its own': title.trim() === '' || title.trim() === 'Untitled post',
    'Text in the body': body.trim() === '',
    'A cover image': !hasCover,
    'A summary: lists show the start of the body instead': summary.trim() === '',
    'A description of each image (alt text)': /!\[\s*\]\(/.test(body),
  }
  return Object.entries(missing).flatMap(([text, isMissing]) => (isMissing ? [text] : []))
}
