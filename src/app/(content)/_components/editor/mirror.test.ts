import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changeLines, type Line, styleLine } from './mirror'

/** The parts of a line that look different from normal text, as "kind: text". */
const styled = (line: string, state = '') =>
  styleLine(line, state)
    .spans.filter(({ kind }) => kind !== 'text')
    .map(({ kind, text }) => `${kind}: ${text}`)

describe('a line', () => {
  test.each<[string, string[]]>([
    ['## What’s new', ['mark: ##', 'bold:  What’s new']],
    ['### A `b` c', ['mark: ###', 'bold:  A ', 'mark: `', 'code: b', 'mark: `', 'bold:  c']],
    ['#no heading', []],
    ['####### seven', []],
    ['- item', ['mark: - ']],
    ['  12. item', ['mark:   12. ']],
    ['* [x] **done**', ['mark: * [x] **', 'bold: done', 'mark: **']],
    ['-no item', []],
    ['> quote', ['mark: > ', 'quote: quote']],
    ['> > - **b** c', ['mark: > > - **', 'bold: b', 'mark: **', 'quote:  c']],
    ['---', ['mark: ---']],
    ['* * *', ['mark: * * *']],
    ['| --- | :-: |', ['mark: | --- | :-: |']],
    ['--', []],
    ['a **b** c', ['mark: **', 'bold: b', 'mark: **']],
    ['a __b__ c', ['mark: __', 'bold: b', 'mark: __']],
    ['a _b_ *c*', ['mark: _', 'mark: _', 'mark: *', 'mark: *']],
    ['**a _b_**', ['mark: **', 'bold: a ', 'mark: _', 'bold: b', 'mark: _**']],
    ['**`a` b**', ['mark: **`', 'code: a', 'mark: `', 'bold:  b', 'mark: **']],
    ['***a***', ['mark: **', 'bold: a', 'mark: **']],
    ['snake_case_name and 2 * 3 * 4', []],
    ['**unended and _unended', []],
    ['\\*a\\* \\`b\\`', []],
    ['`a` and ``b ` c``', ['mark: `', 'code: a', 'mark: `', 'mark: ``', 'code: b ` c', 'mark: ``']],
    ['`**a**`', ['mark: `', 'code: **a**', 'mark: `']],
    ['`unended', []],
    ['[a](/b) c', ['mark: [', 'link: a', 'mark: ](/b)']],
    ['[a](/b_(c) "d_e_")', ['mark: [', 'link: a', 'mark: ](/b_(c) "d_e_")']],
    ['![alt](/posts/images/1)', ['mark: ![', 'link: alt', 'mark: ](/posts/images/1)']],
    ['[a] (b) [c', []],
    ['see https://example.com/a_b_c.', ['link: https://example.com/a_b_c']],
    ['<b>**c**</b>', ['mark: **', 'bold: c', 'mark: **']],
    ['', []],
  ])('%j has the parts %j', (line, parts) => expect(styled(line)).toEqual(parts))

  test('in a code block is code, whatever it looks like', () => {
    expect(styled('# **a**', '```')).toEqual(['code: # **a**'])
    expect(styled('', '```')).toEqual([])
  })
})

describe('a code block', () => {
  const afterLine = (line: string, state = '') => styleLine(line, state).after

  test.each(['```', '```ts', '  ~~~~ info `x`', '- ```', '1. ~~~', '> ```'])('begins with %j', (line) => {
    expect(afterLine(line)).toMatch(/^(`{3}|~{3,4})$/)
    expect(styled(line)).toEqual([`mark: ${line}`])
  })

  test.each(['``', '```a``` b', '`a', 'a ```', ''])('does not begin with %j', (line) =>
    expect(afterLine(line)).toBe(''),
  )

  test('ends with a mark of the same kind that is as long, and with nothing else', () => {
    expect(afterLine('```', '```')).toBe('')
    expect(afterLine('  ````  ', '```')).toBe('')
    expect(afterLine('```', '````')).toBe('````')
    expect(afterLine('~~~', '```')).toBe('```')
    expect(afterLine('```ts', '```')).toBe('```')
    expect(afterLine('a', '```')).toBe('```')
  })
})

const pieces = '` ``` ~~~ * ** _ __ [ ]( ) ! # > - 1. \\ |'.split(' ')
const words = ['a', 'é', '😀', 'https://', ' ', '\t', '\u2028']
const lineText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\n', ' ')),
  fc.array(fc.constantFrom(...pieces, ...words), { maxLength: 25 }).map((parts) => parts.join('')),
)
const states = fc.constantFrom('', '```', '~~~~')

test('the parts of a line are the line', () => {
  fc.assert(
    fc.property(lineText, states, (line, state) => {
      const { spans } = styleLine(line, state)
      expect(spans.map(({ text }) => text).join('')).toBe(line)
      expect(spans.every(({ text }) => text !== '')).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

const repeated = ['[', '](', '[](', '![a](b(', '**a ', '_a _', '`', '` `` ', '\\`', '> ', '- ', '1. ', 'https://', '*_']

// Whatever is pasted, typing must not hang. In quadratic time, this would run into the timeout.
test.each(repeated)('a long line of %j takes linear time', (piece) => {
  for (const end of ['', 'x', ')', '**', '_']) styleLine(piece.repeat(100_000 / piece.length) + end, '')
})

/** Applies the change, as the mirror does. */
function change(old: Line[], text: string): Line[] {
  const { from, to, lines } = changeLines(old, text)
  return [...old.slice(0, from), ...lines, ...old.slice(to)]
}

describe('a change of the text', () => {
  const text = fc.array(fc.oneof(fc.constantFrom('```', '~~~', 'a', '# b', ''), lineText), { maxLength: 12 })

  test('leads to the same lines as rendering everything', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        let lines: Line[] = []
        for (const parts of texts) lines = change(lines, parts.join('\n'))
        const last = texts.at(-1)?.join('\n') ?? ''
        expect(lines.map((line) => line.text).join('\n')).toBe(last)
        expect(lines).toEqual(change([], last))
      }),
      { numRuns: 2_000 },
    )
  })

  const many = Array.from({ length: 1_000 }, (_, index) => `line **${index}**`)
  const before = change([], many.join('\n'))
  const changed = (at: number, removed: number, ...added: string[]) =>
    changeLines(before, many.toSpliced(at, removed, ...added).join('\n'))

  test('renders only the lines that changed', () => {
    expect(changeLines(before, many.join('\n'))).toEqual({ from: 1_000, to: 1_000, lines: [] })
    expect(changed(500, 1, 'x')).toMatchObject({ from: 500, to: 501, lines: [{ text: 'x' }] })
    expect(changed(500, 0, 'x')).toMatchObject({ from: 500, to: 500, lines: [{ text: 'x' }] })
    expect(changed(500, 2)).toEqual({ from: 500, to: 502, lines: [] })
  })

  test('renders the lines below as far as a code block reaches', () => {
    const kinds = (lines: Line[]) => new Set(lines.flatMap(({ spans }) => spans.map(({ kind }) => kind)))
    const open = changed(500, 1, '```')
    expect(open).toMatchObject({ from: 500, to: 1_000 })
    expect(kinds(open.lines.slice(1))).toEqual(new Set(['code']))
    const lines = change(before, many.toSpliced(500, 3, '```', 'code', '```').join('\n'))
    const inside = changeLines(lines, many.toSpliced(500, 3, '```', 'code!', '```').join('\n'))
    expect(inside).toMatchObject({ from: 501, to: 502, lines: [{ text: 'code!', after: '```' }] })
    const unfenced = changeLines(lines, many.toSpliced(500, 3, 'x', 'code', 'x').join('\n'))
    expect(unfenced).toMatchObject({ from: 500, to: 503 })
  })
})
