import fc from 'fast-check'

/** Bits that address parsers disagree about, in any order. */
export const strangeAddress = fc
  .array(
    fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      '@',
      ':',
      '?',
      '#',
      '%2f',
      '%5c',
      '%09',
      '%0a',
      '\t',
      '\n',
      ' ',
      '\u2028',
      '\ufeff',
      'evil.example',
      'http:',
      'https:',
      'javascript:',
      'localhost',
      '[::1]',
      'x',
      '/x',
      ';',
      '\u3002',
      '\uff0f',
      '\ud800',
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))
