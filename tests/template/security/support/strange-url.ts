import fc from 'fast-check'

/** Random concatenations of parts that URL parsers disagree about. */
export const strangeUrl = fc
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
