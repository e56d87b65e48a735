import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { expect, test, vi } from 'vitest'
import { makeVariants } from './variants'

vi.setConfig({ testTimeout: 45_000 })

const options = { widths: [64, 128, 192], maxHeight: 400, megabytes: 1 } as const
const solid = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: 'red' } })
    .png()
    .toBuffer()

test('a large picture becomes three widths, each as WebP and AVIF', async () => {
  const { variants, ...made } = await makeVariants(await solid(600, 300), options)
  expect(made).toEqual({ width: 192, height: 96 })
  expect(variants.map(({ name }) => name)).toEqual([
    '64.webp',
    '128.webp',
    '192.webp',
    '64.avif',
    '128.avif',
    '192.avif',
  ])
  for (const { name, data } of variants) {
    const side = Number.parseInt(name, 10)
    if (name.endsWith('avif')) {
      // AVIF is never decoded, so its size is read from the file.
      expect(data.subarray(4, 12).toString()).toBe('ftypavif')
      const size = data.indexOf('ispe') + 8
      expect([data.readUInt32BE(size), data.readUInt32BE(size + 4)]).toEqual([side, side / 2])
      continue
    }
    const { format, width, height } = await sharp(data).metadata()
    expect([format, width, height]).toEqual(['webp', side, side / 2])
    const [red = 0, green = 0] = await sharp(data).raw().toBuffer()
    expect([red > 200, green < 60]).toEqual([true, true])
  }
})

test.each([
  [40, 20, [40], 40, 20],
  [100, 50, [64, 100], 100, 50],
  [128, 64, [64, 128], 128, 64],
  [400, 2_000, [64, 80], 80, 400],
])('of %i by %i pixels is never enlarged: widths %j', async (width, height, widths, toWidth, toHeight) => {
  const made = await makeVariants(await solid(width, height), options)
  expect([made.width, made.height]).toEqual([toWidth, toHeight])
  const names = ['webp', 'avif'].flatMap((format) => widths.map((each) => `${each}.${format}`))
  expect(made.variants.map(({ name }) => name)).toEqual(names)
})

test('metadata is removed, and the orientation is applied', async () => {
  const taken = await sharp(await solid(200, 100))
    .withExif({ IFD0: { Artist: '<script>alert(1)</script>', ImageDescription: '"><img src=x onerror=alert(1)>' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { variants, width, height } = await makeVariants(taken, options)
  expect([width, height]).toEqual([100, 200])
  for (const { name, data } of variants) {
    expect(['script', 'onerror', 'Exif', 'mime'].filter((word) => data.includes(word))).toEqual([])
    if (name.endsWith('avif')) continue
    const { exif, xmp, icc, orientation } = await sharp(data).metadata()
    expect([exif, xmp, icc, orientation]).toEqual([undefined, undefined, undefined, undefined])
  }
})

const evil = '<script>alert(1)</script>'
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:title="${evil.replaceAll('<', '&lt;')}"/></rdf:RDF></x:xmpmeta>`

/** Puts a part after the first bytes of a file, where its format allows one. */
const insertAt = (at: number, part: Buffer) => (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)])
const jpegSegment = (marker: number, data: string) => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(data) + 2)
  return Buffer.concat([Buffer.from([0xff, marker]), length, Buffer.from(data)])
}
const pngChunk = (type: string, data: string) => {
  const typed = Buffer.from(type + data, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(typed.length - 4)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
const afterHeader = { jpeg: 2, png: 33 }

test.each<[string, 'jpeg' | 'png' | 'webp' | 'gif', (bytes: Buffer) => Buffer]>([
  ['a comment of a JPEG', 'jpeg', insertAt(afterHeader.jpeg, jpegSegment(0xfe, evil))],
  ['XMP of a JPEG', 'jpeg', insertAt(afterHeader.jpeg, jpegSegment(0xe1, `http://ns.adobe.com/xap/1.0/\0${xmp}`))],
  ['IPTC of a JPEG', 'jpeg', insertAt(afterHeader.jpeg, jpegSegment(0xed, `Photoshop 3.0\0${evil}`))],
  ['a color profile of a JPEG', 'jpeg', insertAt(afterHeader.jpeg, jpegSegment(0xe2, `ICC_PROFILE\0\x01\x01${evil}`))],
  ['a text of a PNG', 'png', insertAt(afterHeader.png, pngChunk('tEXt', `Title\0${evil}`))],
  ['XMP of a PNG', 'png', insertAt(afterHeader.png, pngChunk('iTXt', `XML:com.adobe.xmp\0\0\0\0\0${xmp}`))],
  ['bytes after a WebP', 'webp', (bytes) => Buffer.concat([bytes, Buffer.from(evil)])],
  ['bytes after a GIF', 'gif', (bytes) => Buffer.concat([bytes, Buffer.from(evil)])],
])('%s is in none of the files', async (_, format, hide) => {
  const plain = await sharp(await solid(100, 50))
    [format]()
    .toBuffer()
  const sent = hide(plain)
  expect(sent.includes('script')).toBe(true)
  const { variants } = await makeVariants(sent, options)
  expect(variants).toHaveLength(4)
  for (const { data } of variants)
    expect(['script', 'alert', 'xmp', 'ICC'].filter((word) => data.includes(word))).toEqual([])
})

test('what is not a picture, or is too large, is rejected with a message', async () => {
  const messageOf = (bytes: Buffer) =>
    makeVariants(bytes, options).then(
      () => undefined,
      (error) => error.fields?.picture?.[0],
    )
  expect(await messageOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBe(
    'Use a JPEG, PNG, WebP or GIF image',
  )
  expect(await messageOf(Buffer.alloc(1_000_001))).toBe('Use an image of up to 1 MB')
  expect(await messageOf(Buffer.alloc(0))).toBe('Choose an image')
})
