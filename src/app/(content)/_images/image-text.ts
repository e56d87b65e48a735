import { z } from 'zod'
import { singleLine } from '../post-text'

/** What an upload says about an image besides its bytes. */
export const ImageText = z.object({
  // Only a label: nothing is stored or served under this name. Invisible characters could make it look like another one.
  name: z
    .string()
    .default('')
    .transform((text) => text.split(/[/\\]/).at(-1) ?? '')
    .transform(
      (text) =>
        text
          .replaceAll(/[\p{C}\s]+/gu, ' ')
          .trim()
          .slice(0, 200) || 'image',
    ),
  alt: singleLine(300).refine((text) => text !== '', 'Describe the image'),
})
export type ImageText = z.output<typeof ImageText>
