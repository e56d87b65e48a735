import 'server-only'
import sharp from 'sharp'
import { AppError } from './errors'

const megapixel = 1_000_000
const mostPixels = 40 * megapixel
/** Of what cannot be read line by line: all of it is in memory at once. */
const mostPixelsAtOnce = 16 * megapixel
const mostWaiting = 10

// What the name says, or the browser, counts for nothing: the bytes do. And whatever else libvips could read, such as SVG,
// it must not even try.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`),
})
sharp.concurrency(1)
sharp.cache(false)

interface Shape {
  width: number
  height: number
  /** `cover` fills the shape and cuts off what is beside it; `inside` keeps all, and makes nothing larger. */
  fit: 'cover' | 'inside'
  /** How much may be sent. */
  megabytes: number
}

/**
 * The picture that is kept and shown, made from whatever somebody sent: turned upright, brought into shape, WebP. Only pixels
 * survive: neither where it was taken, nor anything that hides in the file. Import it where it is needed: the library is large.
 * @public For modules that take pictures.
 */
export async function makePicture(bytes: Buffer, { width, height, fit, megabytes }: Shape): Promise<Buffer> {
  if (bytes.length === 0) refuse('Choose a picture')
  if (bytes.length > megabytes * 1_000_000) refuse(`Use a picture of at most ${megabytes} MB`)
  return inTurn(async () => {
    // The limit is compared with what the file says of itself, before any of it is decoded.
    const open = () => sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error' })
    const { format, compression, isProgressive, ...is } = await open().metadata().catch(explain)
    if (format === 'heif' && compression !== 'av1') refuse(kinds)
    const isAtOnce = !['jpeg', 'png'].includes(format) || isProgressive
    if (isAtOnce && is.width * is.height > mostPixelsAtOnce) refuse(tooManyPixels(mostPixelsAtOnce))
    return open()
      .autoOrient()
      .resize(width, height, { fit, withoutEnlargement: fit === 'inside' })
      .flatten({ background: 'white' })
      .webp({ quality: 82 })
      .timeout({ seconds: 5 })
      .toBuffer()
      .catch(explain)
  })
}

const kinds = 'Use a JPEG, PNG, WebP, GIF or AVIF picture'
const tooManyPixels = (most: number) => `Use a picture of at most ${most / megapixel} megapixels`

function refuse(reason: string, cause?: unknown): never {
  throw new AppError('invalid_input', undefined, { fields: { picture: [reason] }, cause })
}

/** What libvips complains about, in words for whoever sent it. */
function explain(error: Error): never {
  if (/pixel limit/.test(error.message)) refuse(tooManyPixels(mostPixels), error)
  if (/unsupported image format/.test(error.message)) refuse(kinds, error)
  refuse('This picture cannot be read. Use another one', error)
}

let waiting = 0
let last: Promise<unknown> = Promise.resolve()

/** One picture at a time, so that neither memory nor the other requests suffer. A crowd is told to come back. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= mostWaiting) throw new AppError('unavailable', 'Too many pictures are on their way right now')
  waiting++
  const turn = last.then(work).finally(() => waiting--)
  last = turn.catch(() => {})
  return turn
}
