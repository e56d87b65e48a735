// Separate from picture.ts, which imports a large library.

/**
 * The headers of a response that is a picture.
 * @public For modules that show pictures.
 */
export const pictureHeaders = {
  'Content-Type': 'image/webp',
  'Content-Disposition': 'inline; filename="picture.webp"',
  // If a user opens the picture in its own tab, nothing in it may run.
  'Content-Security-Policy': "default-src 'none'; sandbox",
}
