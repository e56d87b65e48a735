import sharp from 'sharp'

/** A JPEG as large as a photo of that size: shapes, a gradient, and the noise of a sensor. */
export async function makePhoto(width: number, height: number): Promise<Buffer> {
  const raw = { width, height, channels: 3 } as const
  const coarse = { width: Math.ceil(width / 8), height: Math.ceil(height / 8), channels: 3 } as const
  const noise = { type: 'gaussian', mean: 128, sigma: 50 } as const
  const shapes = await sharp({ create: { ...coarse, noise, background: 'black' } })
    .resize(width, height)
    .raw()
    .toBuffer()
  const pixels = Buffer.alloc(width * height * 3)
  for (let at = 0; at < pixels.length; at++) {
    const gradient = 60 + (130 * at) / pixels.length
    const value = gradient + ((shapes[at] ?? 0) - 128) * 0.8 + (Math.random() - 0.5) * 16
    pixels[at] = Math.max(0, Math.min(255, value))
  }
  return sharp(pixels, { raw }).jpeg({ quality: 85 }).toBuffer()
}
