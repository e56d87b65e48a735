import { expect, test } from 'vitest'
import { boundaryOf, readFilePart } from './multipart'

const content = `email\r\nada@example.com\r\n--almost\r\n${'x'.repeat(1_000)}`

/** A form as a browser sends it. */
async function encode(fields: [name: string, value: string | File][]): Promise<{ boundary: string; body: Buffer }> {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  const response = new Response(form)
  const boundary = boundaryOf(response.headers.get('content-type')) ?? ''
  return { boundary, body: Buffer.from(await response.arrayBuffer()) }
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function read(body: Buffer, boundary: string, size: number): Promise<[name: string, text: string]> {
  let fileName = ''
  const chunks = await Array.fromAsync(
    readFilePart(inChunks(body, size), boundary, (name) => {
      fileName = name
    }),
  )
  return [fileName, Buffer.concat(chunks).toString()]
}

test.each([1, 2, 3, 10, 64, 100_000])('the file is found among other fields, in chunks of %d bytes', async (size) => {
  const { boundary, body } = await encode([
    ['note', 'not this'],
    ['empty', ''],
    ['file', new File([content], 'users über.csv')],
    ['after', 'not this, either'],
  ])
  expect(await read(body, boundary, size)).toEqual(['users über.csv', content])
})

test('a body without a file, or cut off, is rejected', async () => {
  const without = await encode([['note', 'x']])
  await expect(read(without.body, without.boundary, 10)).rejects.toThrow('Choose a file')
  const { boundary, body } = await encode([['file', new File([content], 'users.csv')]])
  await expect(read(body.subarray(0, -200), boundary, 10)).rejects.toThrow('in the middle')
  await expect(read(Buffer.alloc(200_000, 'x'), boundary, 1_000)).rejects.toThrow('Choose a file')
})

test('only multipart/form-data has a boundary', () => {
  expect(boundaryOf('multipart/form-data; boundary=abc')).toBe('abc')
  expect(boundaryOf('multipart/form-data; boundary="a b"')).toBeNull()
  for (const type of [null, '', 'text/csv', 'application/json', 'multipart/form-data', 'multipart/mixed; boundary=abc'])
    expect(boundaryOf(type)).toBeNull()
})
