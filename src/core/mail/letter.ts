/** What a mail says. Written once; both forms, HTML and plain text, are made from it. */
export interface Letter {
  to: { name: string; address: string }
  subject: string
  paragraphs: string[]
  /** The one thing to do. */
  action?: { label: string; url: string }
  /** What to know besides: how long the link works, what to do when it was not you. */
  notes?: string[]
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter)

// Mail programs know little CSS, and only in attributes. Text has no colour of its own: in the dark it would be hard to read.
const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
const text = `${font}font-size:16px;line-height:1.5;margin:0 0 16px;`
const small = `${font}font-size:14px;line-height:1.5;margin:0 0 8px;opacity:0.75;`
const button = `${font}display:inline-block;padding:12px 20px;border-radius:8px;background:#0f5f4f;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none;`

export function toHtml({ to, subject, paragraphs, action, notes = [] }: Letter): string {
  const body = [
    `<p style="${text}">Hello ${escaped(to.name)},</p>`,
    ...paragraphs.map((paragraph) => `<p style="${text}">${escaped(paragraph)}</p>`),
    ...(action
      ? [
          `<p style="margin:24px 0;"><a href="${escaped(action.url)}" style="${button}">${escaped(action.label)}</a></p>`,
          `<p style="${small}">Or open this address: <a href="${escaped(action.url)}" style="color:inherit;word-break:break-all;">${escaped(action.url)}</a></p>`,
        ]
      : []),
    ...notes.map((note) => `<p style="${small}">${escaped(note)}</p>`),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(subject)}</title>
</head>
<body style="margin:0;padding:24px;">
<div style="max-width:560px;margin:0 auto;">
${body.join('\n')}
</div>
</body>
</html>
`
}

export function toText({ to, paragraphs, action, notes = [] }: Letter): string {
  return [`Hello ${to.name},`, ...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), ...notes].join(
    '\n\n',
  )
}
