const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Escapes text for XML and drops characters that XML does not allow. */
const escapeXml = (text: string) =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')

/** Template tag that escapes every string value; `Xml` values are inserted unchanged. */
export function xml(parts: TemplateStringsArray, ...values: (string | Xml | Xml[])[]): Xml {
  const text = values.map((value) => {
    if (typeof value === 'string') return escapeXml(value)
    return (Array.isArray(value) ? value : [value]).map((one) => one.text).join('')
  })
  return { text: String.raw({ raw: parts }, ...text) }
}

export interface Xml {
  text: string
}

export const xmlResponse = (type: string, { text }: Xml) =>
  new Response(`<?xml version="1.0" encoding="utf-8"?>\n${text}`, {
    headers: { 'Content-Type': `${type}; charset=utf-8` },
  })
