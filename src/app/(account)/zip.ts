import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Zip, type ZipInputFile } from 'fflate'
import type { ExportedFile } from '@/core/auth/user/export'

/** Streams a ZIP. Node compresses in the thread pool, so that other requests are not blocked. */
export async function* zip(files: ExportedFile[]): AsyncGenerator<Uint8Array> {
  const output: Uint8Array[] = []
  const archive = new Zip((error, chunk) => {
    if (error) throw error
    output.push(chunk)
  })
  for (const { name, chunks } of files) {
    const file: ZipInputFile = { filename: name, size: 0, crc: 0, compression: 8 }
    archive.add(file)
    const deflate = createDeflateRaw()
    // An error destroys `deflate`, so the loop below throws it, too.
    pipeline(measured(file, chunks), deflate).catch(() => {})
    for await (const part of deflate) {
      file.ondata?.(null, part, false)
      yield* output.splice(0)
    }
    file.ondata?.(null, new Uint8Array(), true)
  }
  archive.end()
  yield* output
}

/** Adds up size and CRC-32 of the uncompressed data, which the ZIP format stores for each file. */
async function* measured(file: ZipInputFile, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    file.crc = crc32(chunk, file.crc)
    file.size += chunk.length
    yield chunk
  }
}
