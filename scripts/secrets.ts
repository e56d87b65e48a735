// npm run secrets: searches for committed secrets, in every tracked file and in the whole git history.

import { execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { appSlug } from '../src/brand.ts'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

const patterns: [what: string, shape: RegExp][] = [
  ['a private key', /-----BEGIN (?:RSA |EC |OPENSSH |PGP )?PRIVATE KEY/],
  ['an AWS key', /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b|_authToken\s*=\s*[^$\s{]/],
  ['a Slack token', /\bxox[abprs]-[\w-]{20,}/],
  ['a Stripe key', /\b[rs]k_live_\w{20,}/],
  ['a Google API key', /\bAIza[\w-]{35}\b/],
  ['an API token of this app', new RegExp(`\\b${appSlug}_[A-Za-z0-9_-]{43}\\b`)],
  ['an AUTH_SECRET', /^\+?\s*AUTH_SECRET=["']?(?!only-for-tests)[\w+/=-]{32,}/],
  [
    'a password in a URL',
    /\b(?:postgres(?:ql)?|rediss?|smtps?|https?):\/\/[^\s:@/'"`$]+:(?!password@|app@|secret@|\$)[^\s:@/'"`$<{]{8,}@(?!localhost|127\.|example\.)/,
  ],
]

export const secretsIn = (line: string): string[] =>
  patterns.filter(([, pattern]) => pattern.test(line)).map(([kind]) => kind)

/** File, line and kind of each secret; never the secret itself. */
export function secretsInFiles(folder: string, files: string[]): string[] {
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => secretsIn(line).map((kind) => `${file}:${index + 1} contains ${kind}`)),
  )
}

/** A secret that was committed and removed later is still readable in the history. */
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
      for (const kind of secretsIn(line.slice(1, 2000))) found.add(`${commit}: ${file} contains ${kind}`)
  }
  return [...found]
}

export const trackedFiles = (folder: string): string[] =>
  execFileSync('git', ['ls-files', '-z'], { cwd: folder, encoding: 'utf8' }).split('\0').filter(Boolean)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  showUsage('npm run secrets')
  const found = [...secretsInFiles(root, trackedFiles(root)), ...(await secretsInHistory(root))]
  for (const one of found) console.error(one)
  if (found.length > 0) process.exit(1)
  console.log('No secrets in the tracked files or the git history.')
}
