import { seedUsers } from '../src/core/db/seed-users.ts'

const escapeHtml = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** The color of the provider's own sign-in button, dark enough for white text. */
const accents = { Google: '#1967d2', GitHub: '#1a7f37', 'Acme SSO': '#8250df' }

export type StandInName = keyof typeof accents

const style = (accent: string) => `
:root { color-scheme: light dark; --text: light-dark(#1f2328, #e6edf3); --muted: light-dark(#57606a, #9198a1);
  --card: light-dark(#fff, #161b22); --line: light-dark(#d0d7de, #3d444d); --hover: light-dark(#f6f8fa, #21262d) }
* { box-sizing: border-box }
body { margin: 0; padding: 48px 16px; font: 14px/20px system-ui, sans-serif; color: var(--text);
  background: light-dark(#f6f8fa, #0d1117) }
main { max-width: 400px; margin: auto; padding: 28px; border-radius: 12px; background: var(--card);
  border: 1px solid var(--line); border-top: 4px solid ${accent} }
h1 { margin: 4px 0 8px; font-size: 22px; line-height: 28px }
p { margin: 0 0 20px; color: var(--muted) }
p.hint { margin: 20px 0 0; font-size: 12px; line-height: 16px }
button, input { font: inherit; width: 100%; border-radius: 8px; border: 1px solid var(--line); color: inherit;
  background: var(--card); padding: 9px 12px }
button { cursor: pointer; text-align: start }
button:hover { background: var(--hover) }
button span { display: block; color: var(--muted); font-size: 13px }
button + button { margin-top: 8px }
input { border-color: light-dark(#818b98, #656c76); margin: 4px 0 8px; font-size: 16px }
label { display: block; margin-top: 20px; padding-top: 20px; border-top: 1px solid var(--line); font-weight: 600 }
button.primary { text-align: center; font-weight: 600; color: #fff; background: ${accent}; border-color: transparent }
:focus-visible { outline: 2px solid ${accent}; outline-offset: 2px }`

const anyEmail =
  '<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="off" required>' +
  '<button class="primary">Sign in</button>'

/**
 * The page of a stand-in where one chooses who to be at the provider: a seeded user or any email. Submits `email` to `action`,
 * with the hidden fields. Works without JavaScript.
 */
export function standInPage({
  provider,
  action,
  fields = [],
}: {
  provider: StandInName
  action: string
  fields?: [name: string, value: string][]
}): string {
  const form = (content: string) => {
    const hidden = fields.map(
      ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    return `<form method="post" action="${escapeHtml(action)}">${hidden.join('')}${content}</form>`
  }
  const users = seedUsers.map(
    ({ email, name }) => `<button name="email" value="${email}">${name}<span>${email}</span></button>`,
  )
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${provider} stand-in</title>
<style>${style(accents[provider])}</style>
</head>
<body>
<main>
<h1>Sign in as…</h1>
<p>This page stands in for ${provider} on this machine. Choose who you are at ${provider}.</p>
${form(users.join(''))}
${form(anyEmail)}
<p class="hint">${provider} has verified every email, except one that contains “unverified”.</p>
</main>
</body>
</html>`
}
