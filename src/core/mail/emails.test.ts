import { describe, expect, test } from 'vitest'
import { loadJobs } from '@/jobs'
import { env } from '../env'
import { isEmail } from './define-email'
import { type EmailContent, preheaderOf, renderEmailHtml, renderEmailText } from './render-email'

const emails = (await loadJobs()).filter(isEmail)
const samples = emails.flatMap(({ name, samples }) =>
  samples().map((content): [string, EmailContent] => [`${name}: ${content.subject}`, content]),
)

test('every email has samples', () => {
  expect(emails.length).toBeGreaterThanOrEqual(10)
  expect(emails.filter((email) => email.samples().length === 0)).toEqual([])
})

test('no subject of an email that is sent over the limit has text that a user chose, unless only admins send it', () => {
  const chosen = /Ada|Grace|Acme/
  const found = emails.filter(
    (email) => email.isSentOverLimit && email.samples().some((one) => chosen.test(one.subject)),
  )
  expect(found.map(({ name }) => name).filter((name) => name !== 'mail.admin.invitation')).toEqual([])
})

/** The same content with markup in every text. */
function withMarkup(content: EmailContent): EmailContent {
  const mark = (text: string) => `${text}<b title="x">`
  const { to, subject, preheader, paragraphs, code, facts = [], closing, action, notes = [], reason } = content
  return {
    to: { address: to.address, name: mark(to.name ?? '') },
    subject: mark(subject),
    preheader: mark(preheader ?? ''),
    paragraphs: paragraphs.map(mark),
    code: mark(code ?? ''),
    facts: facts.map(({ label, value }) => ({ label: mark(label), value: mark(value) })),
    closing: mark(closing ?? ''),
    ...(action && { action: { ...action, label: mark(action.label) } }),
    notes: notes.map((note) => (typeof note === 'string' ? mark(note) : { ...note, label: mark(note.label) })),
    reason: mark(reason ?? ''),
  }
}

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

describe.each(samples)('%s', (_, content) => {
  const html = renderEmailHtml(content)
  const text = renderEmailText(content)

  test('has a subject and a preheader that says something else', () => {
    expect(content.subject.trim()).not.toBe('')
    expect(preheaderOf(content).trim()).not.toBe('')
    expect(preheaderOf(content)).not.toBe(content.subject)
    expect(html).toContain(`>${escaped(content.subject)}</h1>`)
    expect(html).toContain(`>${escaped(preheaderOf(content))}&#847;`)
  })

  test('says the same in HTML and in text', () => {
    const { paragraphs, code = '', facts = [], closing = '', action } = content
    for (const part of [...paragraphs, code, ...facts.flatMap(({ label, value }) => [label, value]), closing]) {
      expect(html).toContain(escaped(part))
      expect(text).toContain(part)
    }
    for (const part of [action?.label ?? '', action?.url ?? '']) {
      expect(html).toContain(escaped(part))
      expect(text).toContain(part)
    }
    expect(text).toMatch(/\nYou’re getting this email because .+\.\n/)
  })

  test('contains no undefined values and no markup in its texts', () => {
    for (const part of [html, text]) expect(part).not.toMatch(/undefined|\bnull\b|NaN|\[object/)
    expect(renderEmailHtml(withMarkup(content))).not.toContain('<b title')
  })

  test('links only to pages of the app, with absolute URLs', () => {
    const inHtml = [...html.matchAll(/\bhref="([^"]*)"/g)].map(([, url]) => url ?? '')
    const inText = [...(text.match(/https?:\/\/\S+/g) ?? [])]
    expect(inHtml.length).toBeGreaterThan(0)
    for (const url of [...inHtml, ...inText.map((found) => found.replace(/\.$/, ''))])
      expect(new URL(url).origin).toBe(env.AUTH_URL)
    if (content.action) expect(inText[0]?.startsWith(env.AUTH_URL)).toBe(true)
  })
})
