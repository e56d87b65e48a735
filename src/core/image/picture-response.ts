import 'server-only'
import { AppError } from '../errors'
import { streamBody } from '../http/stream-body'
import { pictureHeaders } from './picture-headers'

/** Of all pictures of this node that are read or sent. A picture is in memory until a slow caller has received all of it. */
const maxTotalBytes = 64_000_000
/** What counts for a picture while it is read: its size is not known yet. */
const bytesWhileReading = 500_000
const chunkBytes = 64 * 1024
/** A slower caller is cut off. */
const maxMs = 2 * 60_000

let totalBytes = 0

/**
 * A response that is a picture. Limits the memory that the pictures of all responses use: beyond it, `read` is not called, and
 * the response is `unavailable`.
 * @public For modules that show pictures.
 */
export async function pictureResponse(
  { signal }: Request,
  read: () => Promise<Buffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  let counted = 0
  const count = (bytes: number) => {
    const total = totalBytes - counted + bytes
    if (total > maxTotalBytes)
      throw new AppError('unavailable', 'Too many images are being sent. Try again in a moment.')
    totalBytes = total
    counted = bytes
  }
  const release = () => count(0)
  try {
    count(bytesWhileReading)
    const data = await read()
    count(data.length)
    return new Response(streamBody(chunksOf(data), { signal, onEnd: release, maxMs }), {
      headers: { ...pictureHeaders, ...headers },
    })
  } catch (error) {
    release()
    throw error
  }
}

/** Copies: a chunk that waits for a caller which no longer reads must not keep the whole picture in memory. */
async function* chunksOf(data: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += chunkBytes) yield new Uint8Array(data.subarray(at, at + chunkBytes))
}
