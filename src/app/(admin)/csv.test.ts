import { expect, test } from 'vitest'
import { csvLine } from './csv'

test('cells are separated by commas, and quoted where needed', () => {
  expect(csvLine(['a', 'b, "c"', null, new Date(0)])).toBe('a,"b, ""c""",,1970-01-01T00:00:00.000Z\r\n')
})

test.each(['=cmd()', '+1', '-1', '@x', '\tx', '|x', '%x', '＝x'])('%s is not run as a formula', (text) => {
  expect(csvLine([text])).toBe(`'${text}\r\n`)
})

test.each([
  ['a;=cmd()', `"a;'=cmd()"`],
  ['a; "=cmd()', `"a; ""'=cmd()"`],
  ['a\r\n=cmd()', `"a\r\n'=cmd()"`],
  ['a,-1', `"a,'-1"`],
])('%j is not run as a formula with other separators, either', (text, line) => {
  expect(csvLine([text])).toBe(`${line}\r\n`)
})

test('formula characters inside a name are left unchanged', () => {
  expect(csvLine(['Anne-Marie @ Work 100%'])).toBe('Anne-Marie @ Work 100%\r\n')
})
