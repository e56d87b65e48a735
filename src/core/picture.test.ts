import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { makePicture as make } from './picture'

const makePicture = (bytes: Buffer) => make(bytes, { width: 256, height: 256, fit: 'cover', megabytes: 1 })

const solid = (width = 300, height = 200) => sharp({ create: { width, height, channels: 3, background: 'red' } })
const script = '<html><script>alert(document.domain)</script>'

/** What is said at the field, or undefined when the picture was taken. */
const refusalOf = (bytes: Buffer) =>
  makePicture(bytes).then(
    () => undefined,
    (error) => error.fields?.picture?.[0] ?? error,
  )
const kinds = 'Use a JPEG, PNG, WebP, GIF or AVIF picture'

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

/** A PNG with one bit for each pixel that says of itself how large it is, and holds whatever it is given. */
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
  test.each(['jpeg', 'png', 'webp', 'gif', 'avif'] as const)(
    'of the kind %s becomes a square of WebP',
    async (kind) => {
      const made = await makePicture(await solid()[kind]().toBuffer())
      const { data, info } = await sharp(made).raw().toBuffer({ resolveWithObject: true })
      expect((await sharp(made).metadata()).format).toBe('webp')
      expect([info.width, info.height]).toEqual([256, 256])
      expect([...data.subarray(0, 3)].map((value) => Math.round(value / 16))).toEqual([16, 0, 0])
    },
  )

  test('that moves is its first frame', async () => {
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

  test('is the middle of what was sent, and white where that is transparent', async () => {
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

  test('is turned as the camera says, and does not tell where it was taken', async () => {
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
    const colourAt = (x: number, y: number) =>
      [...data.subarray((y * 256 + x) * 3, (y * 256 + x) * 3 + 3)].map((value) => value > 128)
    const [red, blue] = [
      [true, false, false],
      [false, false, true],
    ]
    // What was on the left is on top once it is turned.
    expect([colourAt(20, 20), colourAt(236, 20), colourAt(20, 236)]).toEqual([red, red, blue])
  })
})

describe('what hides in a file does not survive', () => {
  test('a page behind a GIF', async () => {
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

  test('a script in a note of a PNG', async () => {
    const note = chunk('tEXt', Buffer.from(`Comment\0${script}`))
    const sent = png(64, 64, lines(64, 64), [note])
    expect(sent.includes('<script>')).toBe(true)
    expect((await makePicture(sent)).includes('script')).toBe(false)
  })
})

describe('refused in words', () => {
  test.each([
    ['nothing', Buffer.alloc(0), 'Choose a picture'],
    ['text', Buffer.from('just text, whatever its name'), kinds],
    ['a page', Buffer.from(script), kinds],
    [
      'SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>'),
      kinds,
    ],
    [
      'SVG that begins as XML',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      kinds,
    ],
    ['PDF', Buffer.from('%PDF-1.7\n1 0 obj'), kinds],
    [
      'the first bytes of a JPEG before a page',
      Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(script)]),
      'This picture cannot be read. Use another one',
    ],
    ['half of a picture', png(100, 100, lines(100, 10)), 'This picture cannot be read. Use another one'],
    ['more than 1 MB', Buffer.alloc(1_000_001, 'x'), 'Use a picture of at most 1 MB'],
  ])('%s', async (_, bytes, words) => {
    expect(await refusalOf(bytes)).toBe(words)
  })

  test('TIFF, although the library could read it', async () => {
    expect(await refusalOf(await solid().tiff().toBuffer())).toBe(kinds)
  })

  test('a small file that would be huge once decoded, by what it says of itself alone', async () => {
    const bomb = png(8_000, 8_000, lines(8_000, 8_000))
    expect(bomb.length).toBeLessThan(20_000)
    const words = 'Use a picture of at most 40 megapixels'
    expect(await refusalOf(bomb)).toBe(words)
    // Nothing behind the header could be decoded: it was not tried.
    expect(await refusalOf(png(30_000, 30_000, Buffer.from('nothing')))).toBe(words)
    expect(await refusalOf(png(6_000, 6_000, lines(6_000, 6_000)))).toBeUndefined()
  })

  test('a kind that is decoded as a whole, already at 16 megapixels', async () => {
    const avif = await solid(64, 64).avif().toBuffer()
    const size = avif.indexOf('ispe')
    avif.writeUInt32BE(4_100, size + 8)
    avif.writeUInt32BE(4_000, size + 12)
    expect(await refusalOf(avif)).toBe('Use a picture of at most 16 megapixels')
    expect(await refusalOf(png(4_100, 4_000, lines(4_100, 4_000)))).toBeUndefined()
  })
})

test('a crowd is told to come back, and those before it are served', async () => {
  const sent = await solid().png().toBuffer()
  const answers = await Promise.all(
    Array.from({ length: 15 }, () =>
      makePicture(sent).then(
        () => 'made',
        (error) => error.code,
      ),
    ),
  )
  expect(answers).toEqual([...Array(10).fill('made'), ...Array(5).fill('unavailable')])
  expect(await refusalOf(sent)).toBeUndefined()
})
