import 'server-only'
import sharp from 'sharp'
import { timeoutMs } from '../timeout'
import { decodePicture } from './picture'

export interface Variant {
  /** Width and format, such as `640.webp`. */
  name: string
  data: Buffer
}

export interface Variants {
  /** Of the largest variant. */
  width: number
  height: number
  /** WebP from small to large, then AVIF in the same widths. */
  variants: Variant[]
}

interface VariantOptions {
  /** From small to large. A picture is never enlarged: a smaller one has fewer variants, the last in its own width. */
  widths: readonly [number, ...number[]]
  maxHeight: number
  /** The maximum size of the upload. */
  megabytes: number
}

/**
 * Re-encodes an uploaded picture in several widths, as WebP and AVIF. Decodes it once: only the pixels of the largest variant
 * are in memory. As in `makePicture`, nothing but pixels survives.
 * @public For modules that take pictures.
 */
export async function makeVariants(
  bytes: Buffer,
  { widths: given, maxHeight, megabytes }: VariantOptions,
): Promise<Variants> {
  return decodePicture(bytes, megabytes, async (open) => {
    const { data, info } = await open()
      .autoOrient()
      .resize(Math.max(...given), maxHeight, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .raw()
      .timeout({ seconds: timeoutMs(5_000) / 1_000 })
      .toBuffer({ resolveWithObject: true })
    const { width, height, channels } = info
    const widths = [...given.filter((each) => each < width), width]
    const resized = (to: number) => sharp(data, { raw: { width, height, channels } }).resize(to)
    const webp: Variant[] = []
    for (const each of widths)
      webp.push({
        name: `${each}.webp`,
        // Half of the default effort: half the time, for files that are 3 % larger.
        data: await resized(each)
          .webp({ quality: 82, effort: 2 })
          .timeout({ seconds: timeoutMs(5_000) / 1_000 })
          .toBuffer(),
      })
    const avif: Variant[] = []
    for (const each of widths) {
      const made = await resized(each)
        // The least effort: 2 takes six times as long, for files of the same size and 0.2 dB.
        .avif({ quality: 55, effort: 0 })
        .timeout({ seconds: timeoutMs(10_000) / 1_000 })
        .toBuffer()
        .catch(() => null)
      // AVIF is an addition. On a machine that is too slow for it, there is WebP alone.
      if (!made) break
      avif.push({ name: `${each}.avif`, data: made })
    }
    return { width, height, variants: avif.length === webp.length ? [...webp, ...avif] : webp }
  })
}
