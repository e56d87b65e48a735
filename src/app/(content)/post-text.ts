import { z } from 'zod'
import { reservedSlugs } from './slug'

/** Leaves room for the other fields within `serverActions.bodySizeLimit` of next.config.ts. */
const maxBytes = 48_000

/** Of the fields with one line. Eight tags of 30 characters, separated by commas, with room for spaces. */
export const maxLengths = { title: 200, slug: 80, summary: 300, tags: 500 }

/** PostgreSQL text cannot contain NUL characters. */
export const isStorable = (text: string) => !text.includes('\0')

/** A single line: whitespace is collapsed and trimmed. */
export const singleLine = (max: number) =>
  z
    .string()
    .transform((text) => text.replaceAll(/\s+/g, ' ').trim())
    .refine((text) => text.length <= max, `Use at most ${max} characters`)
    .refine(isStorable, 'Contains characters that aren’t allowed')

const Slug = singleLine(maxLengths.slug)
  .refine(
    (text) => text === '' || /^[a-z0-9]+(-[a-z0-9]+)*$/.test(text),
    'Use lowercase letters, numbers and single hyphens',
  )
  .refine((text) => !reservedSlugs.includes(text), 'This slug is reserved')

/** Comma-separated input, parsed into a list without duplicates. */
const Tags = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((tag) => tag.trim().replaceAll(/\s+/g, ' ').toLowerCase()))])
  .transform((tags) => tags.filter(Boolean))
  .refine((tags) => tags.length <= 8, 'Use at most 8 tags')
  .refine((tags) => tags.every((tag) => tag.length <= 30), 'Use at most 30 characters per tag')
  .refine(
    (tags) => tags.every((tag) => /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .+#-]*$/u.test(tag)),
    'Use letters and numbers in tags',
  )

/** The fields of the post editor. */
export const PostText = z.object({
  title: singleLine(maxLengths.title).refine((text) => text !== '', 'Enter a title'),
  slug: Slug,
  summary: singleLine(maxLengths.summary),
  tags: Tags,
  body: z
    .string()
    .transform((text) => text.replaceAll('\r\n', '\n'))
    .refine(isStorable, 'Contains characters that aren’t allowed')
    .refine((text) => Buffer.byteLength(text) <= maxBytes, 'Too long: posts can be up to 48 kB'),
})
export type PostText = z.output<typeof PostText>
