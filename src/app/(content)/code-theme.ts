import type { ThemeRegistrationRaw } from '@shikijs/types'

/** What has no color of its own, for example the values in a template string. */
export const plain = 'plain'

/** The class of each kind of token, instead of a color: blog-style.tsx has the colors. The most specific scope applies. */
const scopes = {
  /** Keywords. */
  k: [
    'keyword',
    'storage',
    'variable.language',
    'keyword.operator.new',
    'keyword.operator.expression',
    'keyword.operator.logical.python',
    'markup.heading',
  ],
  /** Strings, and lines that a diff adds. */
  s: ['string', 'storage.type.string', 'markup.inline.raw', 'markup.underline.link', 'markup.inserted'],
  /** Comments. */
  c: ['comment', 'meta.diff.header', 'meta.diff.range'],
  /** Functions, attributes and properties. */
  f: [
    'entity.name.function',
    'support.function',
    'entity.other.attribute-name',
    'support.type.property-name',
    'entity.name.tag.yaml',
  ],
  /** Constants: numbers, true and false, escaped characters. */
  n: ['constant', 'support.constant', 'keyword.other.unit'],
  /** Types and tags. */
  t: [
    'entity.name.type',
    'entity.name.tag',
    'entity.other.inherited-class',
    'support.type',
    'support.class',
    'entity.other.attribute-name.class.css',
    'entity.other.attribute-name.id.css',
  ],
  /** Lines that a diff removes. */
  d: ['markup.deleted'],
  [plain]: [
    'keyword.operator',
    'storage.type.function.arrow',
    'variable',
    'meta.template.expression',
    'meta.embedded',
    'string.unquoted.argument',
  ],
}

export const codeTheme = {
  name: 'classes',
  settings: [
    { settings: { foreground: plain } },
    ...Object.entries(scopes).map(([name, scope]) => ({ scope, settings: { foreground: name } })),
  ],
} satisfies ThemeRegistrationRaw
