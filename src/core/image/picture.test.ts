import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { makePicture as make } from './picture'

const makePicture = (bytes: Buffer) => make(bytes, { width: 256, height: 256, fit: 'cover', megabytes: 1 })

const solid = (width = 300, height = 200) => sharp({ create: { width, height, channels: 3, background: 'red' } })
const script = '<html><script>alert(document.domain)</script>'

/** The error message of the field, or undefined when the picture was accepted. */
const errorOf = (bytes: Buffer) =>
  makePicture(bytes).then(
    () => undefined,
    (error) => error.fields?.picture?.[0] ?? error,
  )
const formatsMessage = 'Use a JPEG, PNG, WebP or GIF image'

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** A PNG with one bit per pixel, with this size in its header and this image data, whether they match or not. */
function png(width: number, height: number, data: Buffer, more: Buffer[] = []): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, chunk('IHDR', header), ...more, chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))])
}
const lines = (width: number, height: number) => deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height))

describe('a picture', () => {
  test.each(['jpeg', 'png', 'webp', 'gif'] as const)('in %s becomes a square WebP', async (kind) => {
    const made = await makePicture(await solid()[kind]().toBuffer())
    const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true })
    expect((await sharp(made).metadata()).format).toBe('webp')
    expect([info.width, info.height]).toEqual([256, 256])
    expect([...data.subarray(0, 3)].map((value) => Math.round(value / 16))).toEqual([16, 0, 0])
  })

  test('that is animated becomes its first frame', async () => {
    const frames = await Promise.all(
      ['red', 'blue'].map((background) =>
        sharp({ create: { width: 20, height: 20, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    )
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()
    expect((await sharp(moving).metadata()).pages).toBe(2)
    const made = await makePicture(moving)
    expect((await sharp(made).metadata()).pages).toBeUndefined()
    expect([...(await sharp(made).raw().toBuffer()).subarray(0, 3)].map((value) => value > 200)).toEqual([
      true,
      false,
      false,
    ])
  })

  test('is cropped to the middle, and white where it was transparent', async () => {
    const clear = { r: 0, g: 0, b: 0, alpha: 0 }
    const wide = await sharp({ create: { width: 300, height: 100, channels: 4, background: 'blue' } })
      .composite([
        {
          input: { create: { width: 100, height: 100, channels: 4, background: clear } },
          left: 100,
          top: 0,
          blend: 'source',
        },
      ])
      .png()
      .toBuffer()
    const { data, info } = await sharp(await makePicture(wide))
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect(info.channels).toBe(3)
    const middle = (128 * 256 + 128) * 3
    expect([...data.subarray(middle, middle + 3)]).toEqual([255, 255, 255])
  })

  test('is rotated by its EXIF orientation, and loses all metadata', async () => {
    const left = {
      input: { create: { width: 100, height: 200, channels: 3, background: 'red' } } as const,
      left: 0,
      top: 0,
    }
    const taken = await sharp({ create: { width: 200, height: 200, channels: 3, background: 'blue' } })
      .composite([left])
      .withExif({ IFD0: { Artist: 'Ada' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()
    expect((await sharp(taken).metadata()).orientation).toBe(6)
    const made = await makePicture(taken)
    const { exif, icc, xmp, iptc, orientation } = await sharp(made).metadata()
    expect([exif, icc, xmp, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined])
    const data = await sharp(made).raw().toBuffer()
    const colorAt = (x: number, y: number) =>
      [...data.subarray((y * 256 + x) * 3, (y * 256 + x) * 3 + 3)].map((value) => value > 128)
    const [red, blue] = [
      [true, false, false],
      [false, false, true],
    ]
    // After the rotation the left side is on top.
    expect([colorAt(20, 20), colorAt(236, 20), colorAt(20, 236)]).toEqual([red, red, blue])
  })
})

describe('hidden content in a file is removed', () => {
  test('HTML appended to a GIF', async () => {
    const sent = Buffer.concat([await solid().gif().toBuffer(), Buffer.from(script)])
    expect(await makePicture(sent)).toEqual(await makePicture(await solid().gif().toBuffer()))
  })

  test('a script in a comment of a JPEG', async () => {
    const jpeg = await solid().jpeg().toBuffer()
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, script.length + 2]), Buffer.from(script)])
    const sent = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])
    expect(sent.includes('<script>')).toBe(true)
    expect(await makePicture(sent)).toEqual(await makePicture(jpeg))
  })

  test('a script in a text chunk of a PNG', async () => {
    const note = chunk('tEXt', Buffer.from(`Comment\0${script}`))
    const sent = png(64, 64, lines(64, 64), [note])
    expect(sent.includes('<script>')).toBe(true)
    expect((await makePicture(sent)).includes('script')).toBe(false)
  })
})

describe('rejected with a message', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'Choose an image'],
    ['text', Buffer.from('just text, whatever its name'), formatsMessage],
    ['HTML', Buffer.from(script), formatsMessage],
    [
      'SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>'),
      formatsMessage,
    ],
    [
      'SVG with an XML declaration',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      formatsMessage,
    ],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj'), formatsMessage],
    [
      'HTML after the first bytes of a JPEG',
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(script)]),
      'We couldn’t read this image. Try another one.',
    ],
    ['a truncated picture', png(100, 100, lines(100, 10)), 'We couldn’t read this image. Try another one.'],
    ['more than 1 MB', Buffer.alloc(1_000_001, 'x'), 'Use an image of up to 1 MB'],
  ])('%s', async (_, bytes, message) => {
    expect(await errorOf(bytes)).toBe(message)
  })

  test.each(['tiff', 'avif'] as const)('%s, although the library could read it', async (kind) => {
    expect(await errorOf(await solid()[kind]().toBuffer())).toBe(formatsMessage)
  })

  test('an AVIF whose header says that it is small', async () => {
    const avif = await solid(2_000, 1_000).avif({ effort: 0 }).toBuffer()
    const size = avif.indexOf('ispe')
    avif.writeUInt32BE(8, size + 8)
    avif.writeUInt32BE(8, size + 12)
    expect(await errorOf(avif)).toBe(formatsMessage)
  })

  test('a decompression bomb, by its header alone', { tags: 'full' }, async () => {
    const bomb = png(8_000, 8_000, lines(8_000, 8_000))
    expect(bomb.length).toBeLessThan(20_000)
    const message = 'Use an image of up to 40 megapixels'
    expect(await errorOf(bomb)).toBe(message)
    // The data after the header is invalid, so decoding it would give another error.
    expect(await errorOf(png(30_000, 30_000, Buffer.from('nothing')))).toBe(message)
    expect(await errorOf(png(6_000, 6_000, lines(6_000, 6_000)))).toBeUndefined()
  })

  test.each([
    [40_000_000, 1],
    [1, 40_000_000],
    [16_385, 10],
  ])('%i by %i pixels: too wide or too high', async (width, height) => {
    // The data after the header is invalid, so decoding it would give another error.
    expect(await errorOf(png(width, height, Buffer.from('nothing')))).toBe(
      'Use an image of up to 16,384 pixels on each side',
    )
  })

  test('more than 16 megapixels in a format that is decoded as a whole', { tags: 'full' }, async () => {
    const webp = await solid(64, 64).webp().toBuffer()
    webp.writeUInt16LE(4_100, 26)
    webp.writeUInt16LE(4_000, 28)
    expect(await errorOf(webp)).toBe('Use an image of up to 16 megapixels')
    expect(await errorOf(png(4_100, 4_000, lines(4_100, 4_000)))).toBeUndefined()
  })
})

test('beyond ten queued pictures further ones are rejected, and the queued ones are processed', {
  tags: 'full',
}, async () => {
  const sent = await solid().png().toBuffer()
  const outcomes = await Promise.all(
    Array.from({ length: 15 }, () =>
      makePicture(sent).then(
        () => 'made',
        (error) => error.code,
      ),
    ),
  )
  expect(outcomes).toEqual([...Array(10).fill('made'), ...Array(5).fill('unavailable')])
  expect(await errorOf(sent)).toBeUndefined()
})
