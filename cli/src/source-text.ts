// Changes of source code that need no parser: they leave alone what they do not recognize.

const closing: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

const comment = /\/\/.*|\/\*[\s\S]*?\*\//y
// A quote without another one on its line is an apostrophe in the text of an element.
const string = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//y
/** Code after which a slash begins a regular expression. Anywhere else it divides, or closes an element. */
const beforeRegularExpression = /(?:[([{,;=:?!&|+]|=>|\breturn)$/

const lengthAt = (pattern: RegExp, text: string, index: number) => {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0].length ?? 0
}
const blank = (text: string) => text.replaceAll(/./g, ' ')

/**
 * The bracket at `start` and everything up to the one that closes it, with spaces in place of comments and of what strings and
 * regular expressions contain. Null if the brackets do not match.
 */
export function codeInBrackets(text: string, start: number): string | null {
  const open: string[] = []
  let code = ''
  while (start + code.length < text.length) {
    const index = start + code.length
    const character = text.charAt(index)
    const ofComment = lengthAt(comment, text, index)
    const length = ofComment || lengthOfLiteral(text, index, code)
    if (ofComment) code += blank(text.slice(index, index + length))
    else if (length) code += character + blank(text.slice(index + 1, index + length - 1)) + character
    else {
      code += character
      if (closing[character]) open.push(closing[character])
      else if (')]}'.includes(character) && open.pop() !== character) return null
      if (open.length === 0) return code
    }
  }
  return null
}

function lengthOfLiteral(text: string, index: number, before: string): number {
  const character = text.charAt(index)
  if (character === '`') return lengthOfTemplate(text, index)
  if (character === '/')
    return beforeRegularExpression.test(before.trimEnd()) ? lengthAt(regularExpression, text, index) : 0
  return lengthAt(string, text, index)
}

function lengthOfTemplate(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === '`') return index + 1 - start
    else if (text.startsWith('${', index)) {
      const code = codeInBrackets(text, index + 1)
      if (code === null) return 0
      index += code.length
    }
  }
  return 0
}

/** The position after the bracket that closes the one at `start`; null if there is none. */
export function balancedEnd(text: string, start: number): number | null {
  const code = codeInBrackets(text, start)
  return code === null ? null : start + code.length
}

/** The code of a call, with spaces in place of what is deeper than the properties of the objects that it passes. */
export function propertiesOfCall(code: string): string {
  let open = ''
  let result = ''
  for (const character of code.split('')) {
    if (')]}'.includes(character)) open = open.slice(0, -1)
    result += '({'.startsWith(open) ? character : ' '
    if (closing[character]) open += character
  }
  return result
}

/** Whether a text uses a name, apart from imports. */
export const isUsed = (text: string, name: string) =>
  new RegExp(`\\b${name.replace(/^type /, '')}\\b`).test(withoutImportLines(text))

const importPattern = /^import (type )?\{([^}]*)\} from (['"][^'"]+['"];?)\n/gm
const withoutImportLines = (text: string) => text.replaceAll(importPattern, '')

/** Removes those of these names from the imports that nothing uses. */
export function withoutImports(text: string, names: string[]): string {
  const unused = names.filter((name) => !isUsed(text, name))
  return text.replaceAll(importPattern, (line, type = '', list: string, from: string) => {
    const all = list.split(',').map((entry) => entry.trim())
    const kept = all.filter((entry) => entry && !unused.includes(entry))
    if (kept.length === all.filter(Boolean).length) return line
    return kept.length === 0 ? '' : `import ${type}{ ${kept.join(', ')} } from ${from}\n`
  })
}

/** Removes properties with a value in braces from the elements of a component: `<AppShell actor={actor}>`. */
export function removeProperties(text: string, component: string, names: string[]): string {
  let result = text
  for (const name of names)
    for (;;) {
      const found = new RegExp(`(<${component}\\b(?:[^>]|=>)*?)\\s+${name}=\\{`).exec(result)
      if (!found) break
      const end = balancedEnd(result, found.index + found[0].length - 1)
      if (end === null) break
      result = result.slice(0, found.index + (found[1]?.length ?? 0)) + result.slice(end)
    }
  return result
}
