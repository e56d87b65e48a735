// npm run secrets: looks for what should never be committed, in every file that git knows and in all of its history.
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from './root.ts'

const shapes: [what: string, shape: RegExp][] = [
  ['a private key', /-----BEGIN (?:RSA |EC |OPENSSH |PGP )?PRIVATE KEY/],
  ['a key of AWS', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a token of GitHub', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})/],
  ['a token of npm', /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*[^$\s{]/],
  ['a token of Slack', /\bxox[abprs]-[\w-]{20,}/],
  ['a key of Stripe', /\b[rs]k_live_\w{20,}/],
  ['a key of Google', /\bAIza[\w-]{35}\b/],
  ['a token of this app', /\bplinth_[A-Za-z0-9_-]{43}\b/],
  ['the secret of an app', /^\+?\s*AUTH_SECRET=["']?(?!only-for-tests)[\w+/=-]{32,}/],
  [
    'a password in an address',
    /\b(?:postgres(?:ql)?|rediss?|smtps?|https?):\/\/[^\s:@/'"`$]+:(?!password@|app@|secret@|\$)[^\s:@/'"`$<{]{8,}@(?!localhost|127\.|example\.)/,
  ],
]

export const secretsIn = (line: string): string[] =>
  shapes.filter(([, shape]) => shape.test(line)).map(([what]) => what)

/** File, line and what it seems to hold; never the secret itself. */
export function secretsInFiles(folder: string, files: string[]): string[] {
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => secretsIn(line).map((what) => `${file}:${index + 1} holds ${what}`)),
  )
}

/** What was committed once and taken out again can still be read by whoever has the repository. */
export async function secretsInHistory(folder: string): Promise<string[]> {
  const log = spawn(
    'git',
    ['log', '--all', '--no-color', '--unified=0', '--patch', '--format=commit %h', '--no-textconv'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const found = new Set<string>()
  let [commit, file] = ['', '']
  for await (const line of createInterface({ input: log.stdout })) {
    if (/^commit [0-9a-f]+$/.test(line)) commit = line
    else if (line.startsWith('+++ b/')) file = line.slice(6)
    else if (line.startsWith('+'))
      for (const what of secretsIn(line.slice(1, 2000))) found.add(`${commit}: ${file} holds ${what}`)
  }
  return [...found]
}

export const trackedFiles = (folder: string): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8' }).split('\0').filter(Boolean)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = [...secretsInFiles(root, trackedFiles(root)), ...(await secretsInHistory(root))]
  for (const one of found) console.error(one)
  if (found.length > 0) process.exit(1)
  console.log('No secret is in the files or in their history.')
}
