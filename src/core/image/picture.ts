import 'server-only'
import sharp, { type Sharp } from 'sharp'
import { AppError } from '../errors'
import { timeoutMs } from '../timeout'

const megapixel = 1_000_000
const maxPixels = 40 * megapixel
/** For formats that are not decoded line by line: the whole picture is in memory at once. */
const maxPixelsInMemory = 16 * megapixel
/** Limits width and height: libvips buffers whole lines, and each line has a fixed cost however short it is. */
const maxSide = 16_384
const maxQueued = 10

// The format is detected from the bytes, not from the file name or content type. All other loaders of libvips, such as SVG,
// are disabled. So is AVIF: its header does not limit the size of the frames in it, and libvips decodes them whole.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}`),
})
sharp.concurrency(1)
sharp.cache(false)

interface PictureOptions {
  width: number
  height: number
  /** `cover` fills the size and crops the rest; `inside` keeps the whole picture and never enlarges it. */
  fit: 'cover' | 'inside'
  /** The maximum size of the upload. */
  megabytes: number
}

/**
 * Re-encodes an uploaded picture: rotated by its EXIF orientation, resized, WebP. Only the pixels survive: no metadata such
 * as GPS, and nothing else that is hidden in the file. Import it lazily: the library is large.
 * @public For modules that take pictures.
 */
export async function makePicture(bytes: Buffer, { width, height, fit, megabytes }: PictureOptions): Promise<Buffer> {
  return decodePicture(bytes, megabytes, (open) =>
    open()
      .autoOrient()
      .resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
      .flatten({ background: 'white' })
      .webp({ quality: 82 })
      .timeout({ seconds: timeoutMs(5_000) / 1_000 })
      .toBuffer(),
  )
}

/** Checks an uploaded picture, then lets `work` decode it, one picture at a time. Errors become a message for the user. */
export async function decodePicture<T>(
  bytes: Buffer,
  megabytes: number,
  work: (open: () => Sharp) => Promise<T>,
): Promise<T> {
  if (bytes.length === 0) reject('Choose an image')
  if (bytes.length > megabytes * 1_000_000) reject(`Use an image of up to ${megabytes} MB`)
  return oneAtATime(async () => {
    // The limits are checked against the header of the file, before anything is decoded.
    const open = () => sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error' })
    const { format, isProgressive, ...size } = await open().metadata().catch(rejectWith)
    if (Math.max(size.width, size.height) > maxSide) reject('Use an image of up to 16,384 pixels on each side')
    const isDecodedWhole = !['jpeg', 'png'].includes(format) || isProgressive
    if (isDecodedWhole && size.width * size.height > maxPixelsInMemory) reject(tooManyPixels(maxPixelsInMemory))
    return work(open).catch(rejectWith)
  })
}

const formatsMessage = 'Use a JPEG, PNG, WebP or GIF image'
const tooManyPixels = (max: number) => `Use an image of up to ${max / megapixel} megapixels`

function reject(reason: string, cause?: unknown): never {
  throw new AppError('invalid_input', undefined, { fields: { picture: [reason] }, cause })
}

/** Turns an error of libvips into a message for the user. */
function rejectWith(error: Error): never {
  if (/pixel limit/.test(error.message)) reject(tooManyPixels(maxPixels), error)
  if (/unsupported image format/.test(error.message)) reject(formatsMessage, error)
  reject('We couldn’t read this image. Try another one.', error)
}

let queued = 0
let last: Promise<unknown> = Promise.resolve()

/** Processes one picture at a time, to limit memory and CPU. Rejects with `unavailable` when too many are queued. */
function oneAtATime<T>(work: () => Promise<T>): Promise<T> {
  if (queued >= maxQueued)
    throw new AppError('unavailable', 'Too many images are being processed. Try again in a moment.')
  queued++
  const result = last.then(work).finally(() => queued--)
  last = result.catch(() => {})
  return result
}
