import { uploadError } from './problems'

/** Fields before the file, and the headers of a part. */
const maxSkippedBytes = 64 * 1024

/** The boundary of a multipart/form-data body, or null for any other body. */
export function boundaryOf(contentType: string | null): string | null {
  return /^multipart\/form-data;\s*boundary="?([^\s";]{1,70})"?\s*$/i.exec(contentType ?? '')?.[1] ?? null
}

/** The content of the first file in a multipart/form-data body, as it arrives. The parser of Node reads all of it first. */
export async function* readFilePart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  onFileName: (name: string) => void,
): AsyncGenerator<Uint8Array> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter has no line before it. With this, it looks like the others.
  let buffer = Buffer.from('\r\n')
  let isInFile = false
  for await (const chunk of body) {
    buffer = Buffer.concat([buffer, chunk])
    while (!isInFile) {
      const part = findPart(buffer, delimiter)
      if (!part) break
      buffer = buffer.subarray(part.contentStart)
      isInFile = part.fileName !== undefined
      if (part.fileName !== undefined) onFileName(part.fileName)
    }
    if (!isInFile) {
      if (buffer.length > maxSkippedBytes) throw uploadError('file')
      continue
    }
    const end = buffer.indexOf(delimiter)
    // The last bytes may be the start of the delimiter, so they wait for the next chunk.
    const length = end === -1 ? Math.max(0, buffer.length - delimiter.length) : end
    if (length > 0) yield buffer.subarray(0, length)
    if (end !== -1) return
    buffer = buffer.subarray(length)
  }
  throw uploadError(isInFile ? 'incomplete' : 'file')
}

/** The next part: where its content starts, and the name of its file if it is one. Null while its headers are incomplete. */
function findPart(buffer: Buffer, delimiter: Buffer): { contentStart: number; fileName: string | undefined } | null {
  const start = buffer.indexOf(delimiter)
  const end = start === -1 ? -1 : buffer.indexOf('\r\n\r\n', start + delimiter.length)
  if (end === -1) return null
  const head = buffer.toString('utf8', start + delimiter.length, end)
  const fileName = /^content-disposition:[^\r\n]*;\s*filename="([^"\r\n]*)"/im.exec(head)?.[1]
  return {
    contentStart: end + 4,
    fileName: fileName
      ?.replaceAll(/\p{Cc}/gu, '')
      .slice(0, 100)
      .toWellFormed(),
  }
}
