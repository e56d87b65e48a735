const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

/** Text inside of XML. What XML cannot hold at all is left out. */
const escaped = (text: string) =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replaceAll(/[&<>"']/g, (character) => names[character] ?? '')

/** XML as it is written, with every value in it made safe; lists are what was made so already. */
export function xml(parts: TemplateStringsArray, ...values: (string | Xml | Xml[])[]): Xml {
  const text = values.map((value) => {
    if (typeof value === 'string') return escaped(value)
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
