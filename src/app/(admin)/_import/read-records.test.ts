import { describe, expect, test } from 'vitest'
import { maxRecordLength } from './problems'
import { readRecords } from './read-records'

/** The bytes of a text in chunks of this size, as they may arrive over the network. */
async function* inChunks(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

const read = (text: string | Buffer, size = 65_536) => Array.fromAsync(readRecords(inChunks(text, size)))

describe('CSV', () => {
  const file =
    '\ufeffEmail,Full Name,Password_Hash,ignored\r\n' +
    'ada@example.com,"Lovelace, ""Ada""",,x\r\n' +
    '\r\n' +
    'zoe@example.com,"Zoë\nof two lines",$scrypt$x,y'

  test.each([1, 2, 7, 65_536])('is read in chunks of %d bytes', async (size) => {
    expect(await read(file, size)).toEqual([
      { row: 2, fields: { email: 'ada@example.com', name: 'Lovelace, "Ada"', hash: '' } },
      { row: 4, fields: { email: 'zoe@example.com', name: 'Zoë\nof two lines', hash: '$scrypt$x' } },
    ])
  })

  test.each([',', ';', '\t'])('may be separated by %j', async (separator) => {
    const text = [
      ['name', 'email', 'role'],
      ['Ada', 'ada@example.com', 'editor'],
    ]
    expect(await read(text.map((line) => line.join(separator)).join('\n'))).toEqual([
      { row: 2, fields: { name: 'Ada', email: 'ada@example.com', role: 'editor' } },
    ])
  })

  test('a missing cell is empty', async () => {
    expect(await read('email,name\nada@example.com\n')).toEqual([
      { row: 2, fields: { email: 'ada@example.com', name: '' } },
    ])
  })
})

describe('JSON', () => {
  const objects = [
    { email: 'ada@example.com', emailVerified: false, more: { nested: ['}', '"'] } },
    { email: 'zoe@example.com', name: 'Zo\\ë "]}" ', role: null },
  ]
  const expected = [
    { row: 1, fields: { email: 'ada@example.com', isVerified: 'false' } },
    { row: 2, fields: { email: 'zoe@example.com', name: 'Zo\\ë "]}" ', role: '', isVerified: '' } },
  ]

  test.each([1, 3, 65_536])('is a list, read in chunks of %d bytes', async (size) => {
    expect(await read(JSON.stringify(objects, null, 2), size)).toEqual(expected)
  })

  test('is an object on each line', async () => {
    expect(await read(objects.map((object) => JSON.stringify(object)).join('\n'))).toEqual(expected)
  })
})

test.each([
  ['no column for the email', 'name,role\nAda,viewer\n', 'column named email'],
  ['another encoding', Buffer.from('email,name\nada@example.com,Zo\xeb\n', 'latin1'), 'UTF-8'],
  ['an open quote', 'email,name\nada@example.com,"Ada', 'in the middle'],
  ['an open object', '[{"email": "ada@example.com"', 'in the middle'],
  ['broken JSON', '[{"email": }]', 'valid JSON'],
  ['other JSON', '[1, 2]', 'valid JSON'],
  [
    'email_verified only in a later object',
    '[{"email": "a@example.com"}, {"email": "b@example.com", "email_verified": true}]',
    'email_verified',
  ],
  ['a very long row of CSV', `email\n${'x'.repeat(maxRecordLength + 1)}`, 'characters'],
  ['a very long row of JSON', `[{"email": "${'x'.repeat(maxRecordLength)}"}]`, 'characters'],
])('a file with %s is rejected', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'invalid_input',
    fields: { file: [expect.stringContaining(message)] },
  })
})

test('an empty file has no rows', async () => {
  expect(await read('')).toEqual([])
  expect(await read('[]')).toEqual([])
})
