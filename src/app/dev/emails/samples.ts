import { isEmail } from '@/core/mail/define-email'
import { darkMedia, type EmailContent, renderEmailHtml } from '@/core/mail/render-email'
import { loadJobs } from '@/jobs'

/** Every kind of email that core and the installed modules can send, with its sample data. */
export async function loadSamples() {
  const emails = (await loadJobs()).filter(isEmail)
  return emails.flatMap(({ name, samples }) =>
    samples().map((content, index) => ({ id: `${name}.${index + 1}`, kind: name, content })),
  )
}

/** The HTML in one theme, whatever the theme of the system is. Links replace the page, not the frame. */
export const renderInTheme = (content: EmailContent, theme: 'light' | 'dark') =>
  renderEmailHtml(content)
    .replace('<head>', '<head><base target="_top">')
    .replace(darkMedia, theme === 'dark' ? '@media all' : '@media not all')
    .replaceAll('content="light dark"', `content="${theme}"`)
    .replace('color-scheme:light dark', `color-scheme:${theme}`)
