import { content } from './content'

/** The site as Markdown, in the format of llmstxt.org: a title, a summary, facts, links. */
export function describeSite(name: string, pages: { label: string; url: string }[]): string {
  const { lead, commands, features, modules, faq } = content
  return [
    `# ${name}`,
    '',
    `> ${lead}`,
    '',
    `Start with: ${commands.map((command) => `\`${command}\``).join(', ')}`,
    '',
    ...features.map(({ title, text }) => `- ${title}: ${text}`),
    '',
    '## Modules',
    '',
    ...modules.map((one) => `- ${one.name}: ${one.text}`),
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
