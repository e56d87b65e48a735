import { content } from './content'

/** The site as Markdown, in the format of llmstxt.org: a title, a summary, facts, links. */
export function describeSite(name: string, pages: { label: string; url: string }[]): string {
  const { lead, features, faq } = content
  return [
    `# ${name}`,
    '',
    `> ${lead}`,
    '',
    ...features.map(({ title, text }) => `- ${title}: ${text}`),
    '',
    '## Questions',
    '',
    ...faq.map(({ question, answer }) => `- ${question} ${answer}`),
    '',
    '## Pages',
    '',
    ...pages.map(({ label, url }) => `- [${label}](${url})`),
    '',
  ].join('\n')
}
