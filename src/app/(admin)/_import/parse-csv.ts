import { maxRecordLength, uploadError } from './problems'

/** Splits CSV (RFC 4180) into rows of cells, as the text arrives. Holds no more than one row. */
export async function* parseCsv(text: AsyncIterable<string>, separator: string): AsyncGenerator<string[]> {
  let cells: string[] = []
  let cell = ''
  let length = 0
  /** `closed`: after a quote in a quoted cell, which ends the cell or is the first of two. */
  let state: 'plain' | 'quoted' | 'closed' = 'plain'
  for await (const chunk of text) {
    for (const char of chunk) {
      if (++length > maxRecordLength) throw uploadError('record')
      if (state === 'quoted') {
        if (char === '"') state = 'closed'
        else cell += char
      } else if (char === '"' && (state === 'closed' || cell === '')) {
        if (state === 'closed') cell += char
        state = 'quoted'
      } else if (char === separator || char === '\n') {
        cells.push(cell)
        cell = ''
        state = 'plain'
        if (char === separator) continue
        yield cells
        cells = []
        length = 0
      } else if (char !== '\r') {
        cell += char
      }
    }
  }
  if (state === 'quoted') throw uploadError('incomplete')
  if (cells.length > 0 || cell !== '') yield [...cells, cell]
}
