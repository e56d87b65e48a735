import { expect, test } from 'vitest'
import { csvLine } from './csv'

test('a line has its cells apart by commas, and quotes where a cell needs them', () => {
  expect(csvLine(['a', 'b, "c"', null, new Date(0)])).toBe('a,"b, ""c""",,1970-01-01T00:00:00.000Z\r\n')
})

test.each(['=cmd()', '+1', '-1', '@x', '\tx', '|x', '%x', '＝x'])('%s is no formula', (text) => {
  expect(csvLine([text])).toBe(`'${text}\r\n`)
})

test.each([
  ['a;=cmd()', `"a;'=cmd()"`],
  ['a; "=cmd()', `"a; ""'=cmd()"`],
  ['a\r\n=cmd()', `"a\r\n'=cmd()"`],
  ['a,-1', `"a,'-1"`],
])('%j is no formula where cells are parted otherwise', (text, line) => {
  expect(csvLine([text])).toBe(`${line}\r\n`)
})

test('a name with such a sign inside is left as it is', () => {
  expect(csvLine(['Anne-Marie @ Work 100%'])).toBe('Anne-Marie @ Work 100%\r\n')
})
