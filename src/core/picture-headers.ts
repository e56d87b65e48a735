// Apart from picture.ts, which carries a large library.

/**
 * Of an answer that is a picture.
 * @public For modules that show pictures.
 */
export const pictureHeaders = {
  'Content-Type': 'image/webp',
  'Content-Disposition': 'inline; filename="picture.webp"',
  // Somebody may open it as a page of its own: whatever is in it, it can do nothing there.
  'Content-Security-Policy': "default-src 'none'; sandbox",
}
