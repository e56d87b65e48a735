import { z } from 'zod'

/** What fits into a form here, with room for the rest of it: next.config.ts says how much that is. */
const mostBytes = 48_000

/** The database cannot hold the character of that number, and says so with an error. */
export const isStorable = (text: string) => !text.includes('\0')

/** One line, however it was written. */
const line = (most: number) =>
  z
    .string()
    .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
    .refine((text) => text.length <= most, `Use at most ${most} characters`)
    .refine(isStorable, 'Use letters that there are')

/** Addresses that are pages of their own. */
const reserved = ['covers', 'preview', 'sitemap']

const Slug = line(80)
  .refine(
    (text) => text === '' || /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    'Use small letters, digits and single hyphens',
  )
  .refine((text) => !reserved.includes(text), 'This address is taken')

/** Written with commas; kept as a list. */
const Tags = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((tag) => tag.trim().replaceAll(/\s+/g, ' ').toLowerCase()))])
  .transform((tags) => tags.filter(Boolean))
  .refine((tags) => tags.length <= 8, 'Use at most 8 tags')
  .refine((tags) => tags.every((tag) => tag.length <= 30), 'Use at most 30 characters for a tag')
  .refine(
    (tags) => tags.every((tag) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .+#-]*$/u.test(tag)),
    'Use letters and digits for tags',
  )

/** What an editor writes. */
export const Text = z.object({
  title: line(200).refine((text) => text !== '', 'Give it a title'),
  slug: Slug,
  summary: line(300),
  tags: Tags,
  body: z
    .string()
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine(isStorable, 'Use letters that there are')
    .refine((text) => Buffer.byteLength(text) <= mostBytes, 'This is too long for one post. Use at most 48,000 bytes'),
})
export type Text = z.output<typeof Text>

/** "Über uns" is "uber-uns". */
export function slugOf(title: string, id: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 80)
    .replaceAll(/^-+|-+$/g, '')
  return slug === '' || reserved.includes(slug) ? `post-${id.slice(0, 8)}` : slug
}
