import { maxRecordLength, uploadError } from './problems'

/** Splits a JSON list of objects, or one object per line, into its objects, as the text arrives. Holds no more than one. */
export async function* parseJson(text: AsyncIterable<string>): AsyncGenerator<Record<string, unknown>> {
  let object = ''
  let depth = 0
  let isString = false
  let isEscaped = false
  for await (const chunk of text) {
    for (const char of chunk) {
      if (depth === 0 && char !== '{') {
        if (!/[\s,[\]]/.test(char)) throw uploadError('json')
        continue
      }
      object += char
      if (object.length > maxRecordLength) throw uploadError('record')
      if (isString) {
        if (char === '"' && !isEscaped) isString = false
        isEscaped = char === '\\' && !isEscaped
      } else if (char === '"') {
        isString = true
      } else if (char === '{' || char === '[') {
        depth++
      } else if (char === '}' || char === ']') {
        depth--
        if (depth > 0) continue
        yield parseObject(object)
        object = ''
      }
    }
  }
  if (depth > 0) throw uploadError('incomplete')
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    throw uploadError('json')
  }
}
