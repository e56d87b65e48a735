/** The text with `\n` as line ending, on every platform. */
export const normalizeLineEndings = (bytes: Buffer, encoding: BufferEncoding = 'utf8') =>
  bytes.toString(encoding).replaceAll('\r\n', '\n')

/** Whether two files differ in nothing but line endings. Latin-1 keeps every byte, so binary files can be compared too. */
export const isSameContent = (one: Buffer | null | undefined, other: Buffer | null | undefined) =>
  one && other ? normalizeLineEndings(one, 'latin1') === normalizeLineEndings(other, 'latin1') : !one && !other
