import { appName, darkColors as dark, lightColors as light } from '@/brand'
import { modules } from '@/modules'
import { env } from '../env'
import type { TimePreferences } from '../time/time-format'

export interface EmailFact {
  label: string
  value: string
}

/** Content of an email. The HTML and the plain-text version are both rendered from it. */
export interface EmailContent {
  /** Without a name if the email is not verified, because a third party may have chosen the name. */
  to: { name?: string; address: string; preferences?: TimePreferences }
  /** Also the heading. */
  subject: string
  /** What an inbox shows after the subject. The first paragraph, if it is missing. */
  preheader?: string
  paragraphs: string[]
  /** A code to type in, in large digits below the paragraphs. */
  code?: string
  /** A table below the paragraphs: when, where, who. */
  facts?: EmailFact[]
  /** A sentence between the facts and the button. */
  closing?: string
  /** The button: the one thing to do. It is outlined in a notice, which most readers need not do anything about. */
  action?: { label: string; url: string; isOutlined?: boolean }
  /** Small print: how long the link is valid, what to do if it was not you. */
  notes?: (string | { label: string; url: string })[]
  /** Completes "You’re getting this email because …", for recipients who have no account. */
  reason?: string
}

/** The absolute URL of a page. */
export const appUrl = (path: string) => new URL(path, env.AUTH_URL).href

export const preheaderOf = ({ preheader, paragraphs }: EmailContent) => preheader ?? paragraphs[0] ?? ''

const greeting = ({ name }: EmailContent['to']) => (name ? `Hello ${name},` : 'Hello,')

/** Why the recipient gets the email, and where it comes from. Only users have settings. */
function footerOf({ reason }: EmailContent) {
  const settings = reason === undefined && modules.find((module) => module.settingsHome)?.settingsHome
  return {
    reason: `You’re getting this email because ${reason ?? `you have an account at ${appName}`}.`,
    links: [{ label: appName, url: env.AUTH_URL }, ...(settings ? [{ label: 'Settings', url: appUrl(settings) }] : [])],
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character] ?? character)

// Email clients support little CSS, some of them only in `style` attributes. The classes are for dark mode.
const font = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;"
const styles = {
  name: `${font}font-size:16px;line-height:20px;font-weight:600;color:${light.text};`,
  heading: `${font}font-size:21px;line-height:28px;font-weight:600;letter-spacing:-0.018em;margin:0 0 16px;color:${light.text};`,
  text: `${font}font-size:16px;line-height:24px;margin:0 0 16px;color:${light.text};`,
  code: `font-family:ui-monospace,Menlo,Consolas,monospace;font-size:32px;line-height:40px;font-weight:600;letter-spacing:0.2em;margin:0 0 16px;color:${light.text};`,
  small: `${font}font-size:13px;line-height:20px;margin:0 0 8px;color:${light.muted};`,
  link: `color:${light.muted};text-decoration:underline;word-break:break-all;`,
  cell: `${font}font-size:14px;line-height:20px;font-weight:400;text-align:left;vertical-align:top;padding:9px 0;border-top:1px solid ${light.border};`,
  button: `${font}display:inline-block;padding:10px 18px;border-radius:8px;font-size:15px;line-height:22px;font-weight:600;text-decoration:none;`,
  primary: `background:${light.primary};border:1px solid ${light.primary};color:${light.onPrimary};`,
  outlined: `border:1px solid ${light.borderStrong};color:${light.text};`,
}

/** The media query of the dark colors; /dev/emails replaces it to show either theme. */
export const darkMedia = '@media (prefers-color-scheme:dark)'

const styleSheet = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:599px){.card{padding:24px 20px!important}}
${darkMedia}{
.canvas{background:${dark.canvas}!important}
.card{background:${dark.card}!important;border-color:${dark.border}!important}
.text{color:${dark.text}!important}
.muted{color:${dark.muted}!important}
.rule{border-color:${dark.border}!important}
.primary{background:${dark.primary}!important;border-color:${dark.primary}!important;color:${dark.onPrimary}!important}
.outlined{border-color:${dark.borderStrong}!important;color:${dark.text}!important}
.mark{background:${dark.primary}!important}
.step{background:${dark.text}!important}
}`

const block = (className: string, width: number, height: number, style: string) =>
  `<div class="${className}" style="width:${width}px;height:${height}px;${style}"></div>`

/** The logo as three boxes. Most email clients show neither SVG nor, before the reader agrees, files from a server. */
const logo = [
  block('mark', 8, 9, `margin:0 auto;background:${light.primary};`),
  block('step', 12, 4, `margin:1px auto 0;background:${light.text};opacity:0.75;`),
  block('step', 18, 5, `margin:1px auto 0;background:${light.text};`),
].join('')

const table = 'role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"'
const paragraph = (text: string) => `<p class="text" style="${styles.text}">${escapeHtml(text)}</p>`
const small = (html: string) => `<p class="muted" style="${styles.small}">${html}</p>`
const link = ({ label, url }: { label: string; url: string }) =>
  `<a class="muted" href="${escapeHtml(url)}" style="${styles.link}">${escapeHtml(label)}</a>`

function renderFacts(facts: EmailFact[]): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><th scope="row" class="muted rule" style="${styles.cell}width:120px;color:${light.muted};">${escapeHtml(label)}</th><td class="text rule" style="${styles.cell}color:${light.text};word-break:break-word;">${escapeHtml(value)}</td></tr>`,
  )
  return `<table width="100%" cellpadding="0" cellspacing="0" class="rule" style="margin:0 0 20px;border-bottom:1px solid ${light.border};">${rows.join('')}</table>`
}

function renderAction({ label, url, isOutlined = false }: NonNullable<EmailContent['action']>): string {
  const variant = isOutlined ? 'outlined' : 'primary'
  const button = `<p style="margin:24px 0;"><a class="${variant}" href="${escapeHtml(url)}" style="${styles.button}${styles[variant]}">${escapeHtml(label)}</a></p>`
  return `${button}\n${small(`Button not working? Paste this link into your browser: ${link({ label: url, url })}`)}`
}

/** Invisible characters after the preheader, so that an inbox does not fill its line with the start of the email. */
const filler = '&#847;&zwnj;&nbsp;'.repeat(80)

export function renderEmailHtml(content: EmailContent): string {
  const { to, subject, paragraphs, code, facts = [], closing, action, notes = [] } = content
  const { reason, links } = footerOf(content)
  const body = [
    `<h1 class="text" style="${styles.heading}">${escapeHtml(subject)}</h1>`,
    ...[greeting(to), ...paragraphs].map(paragraph),
    ...(code ? [`<p class="text" style="${styles.code}">${escapeHtml(code)}</p>`] : []),
    ...(facts.length > 0 ? [renderFacts(facts)] : []),
    ...(closing ? [paragraph(closing)] : []),
    ...(action ? [renderAction(action)] : []),
    ...notes.map((note) => small(typeof note === 'string' ? escapeHtml(note) : link(note))),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>
${styleSheet}
</style>
</head>
<body class="canvas" style="margin:0;padding:0;background:${light.canvas};">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all;">${escapeHtml(preheaderOf(content))}${filler}</div>
<table ${table} class="canvas" style="background:${light.canvas};"><tr><td align="center" style="padding:32px 16px;">
<table ${table} style="max-width:560px;text-align:left;">
<tr><td style="padding:0 4px 16px;">
<table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td aria-hidden="true" style="padding-right:8px;">${logo}</td><td class="text" style="${styles.name}">${escapeHtml(appName)}</td></tr></table>
</td></tr>
<tr><td class="card" style="padding:32px;border:1px solid ${light.border};border-radius:12px;background:${light.card};">
${body.join('\n')}
</td></tr>
<tr><td style="padding:20px 4px 0;">
${small(escapeHtml(reason))}
${small(links.map(link).join(' · '))}
</td></tr>
</table>
</td></tr></table>
</body>
</html>
`
}

export function renderEmailText(content: EmailContent): string {
  const { to, paragraphs, code, facts = [], closing, action, notes = [] } = content
  const { reason, links } = footerOf(content)
  const line = ({ label, url }: { label: string; url: string }) => `${label}: ${url}`
  return [
    greeting(to),
    ...paragraphs,
    ...(code ? [code] : []),
    ...(facts.length > 0 ? [facts.map(({ label, value }) => `${label}: ${value}`).join('\n')] : []),
    ...(closing ? [closing] : []),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes.map((note) => (typeof note === 'string' ? note : line(note))),
    ['--', reason, ...links.map(line)].join('\n'),
  ].join('\n\n')
}
