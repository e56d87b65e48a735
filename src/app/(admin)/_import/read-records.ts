import { parseCsv } from './parse-csv'
import { parseJson } from './parse-json'
import { maxRecordLength, uploadError } from './problems'

/** The columns of a file, by their names without case, spaces, hyphens and underscores. Others are ignored. */
const columns = {
  email: 'email',
  emailaddress: 'email',
  name: 'name',
  fullname: 'name',
  displayname: 'name',
  role: 'role',
  hash: 'hash',
  password: 'hash',
  passwordhash: 'hash',
  encryptedpassword: 'hash',
  emailverified: 'isVerified',
  emailverifiedat: 'isVerified',
  verified: 'isVerified',
  isverified: 'isVerified',
} as const

type Field = (typeof columns)[keyof typeof columns]

export interface FileRecord {
  /** As a spreadsheet counts: the header is row 1. In JSON the first object is row 1. */
  row: number
  fields: Partial<Record<Field, string>>
}

function fieldOf(column: string): Field | undefined {
  const name = column.toLowerCase().replaceAll(/[\s_-]/g, '')
  return Object.hasOwn(columns, name) ? columns[name as keyof typeof columns] : undefined
}

/** Reads CSV (separated by commas, semicolons or tabs) or JSON (a list, or an object per line), as the bytes arrive. */
export async function* readRecords(source: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  const text = decode(source)
  const head = await readHead(text)
  const all = prepend(head, text)
  const isJson = /^\s*[[{]/.test(head)
  yield* isJson ? fromJson(all) : fromCsv(all, separatorOf(head))
}

async function* decode(source: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of source) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw error instanceof TypeError ? uploadError('encoding') : error
  }
}

/** The text up to the end of the first line or a little further. It tells the format. */
async function readHead(text: AsyncGenerator<string>): Promise<string> {
  let head = ''
  while (!head.trimStart().includes('\n') && head.length <= maxRecordLength) {
    const next = await text.next()
    if (next.done) break
    head += next.value
  }
  return head
}

async function* prepend(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head
  yield* rest
}

function separatorOf(head: string): string {
  const [header = ''] = head.trimStart().split('\n')
  const count = (separator: string) => header.split(separator).length
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}

async function* fromCsv(text: AsyncIterable<string>, separator: string): AsyncGenerator<FileRecord> {
  let header: (Field | undefined)[] | undefined
  let row = 0
  for await (const cells of parseCsv(text, separator)) {
    row++
    if (cells.every((cell) => cell.trim() === '')) continue
    if (!header) {
      header = cells.map(fieldOf)
      if (!header.includes('email')) throw uploadError('columns')
      continue
    }
    const fields: FileRecord['fields'] = {}
    for (const [index, field] of header.entries()) if (field) fields[field] ||= cells[index] ?? ''
    yield { row, fields }
  }
}

async function* fromJson(text: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let row = 0
  let isVerifiedKnown = false
  for await (const object of parseJson(text)) {
    row++
    const fields: FileRecord['fields'] = {}
    for (const [key, value] of Object.entries(object)) {
      const field = fieldOf(key)
      if (field && typeof value !== 'object') fields[field] ||= String(value)
      else if (field && value === null) fields[field] ||= ''
    }
    // A file has this column if its first object has it. Some systems leave out empty values: the email is then not verified.
    if (row === 1) isVerifiedKnown = fields.isVerified !== undefined
    else if (isVerifiedKnown) fields.isVerified ??= ''
    else if (fields.isVerified !== undefined) throw uploadError('verified')
    yield { row, fields }
  }
}
