import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { findRole } from './core/auth/roles'
import { cookieOptions, maxSessionSeconds, maxSessionsPerUser } from './core/auth/session/settings'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = read('docs/security.md')
const section = (title: string) => /\n## /.exec(page) && (page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '')

/** Core and the modules of the template. Other modules need not be described in security.md. */
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))
  .filter((file) => !/^src\/app\/\((?!(account|admin|content|docs|email-code|landing|organizations)\))/.test(file))
const inSources = (pattern: RegExp) =>
  sources.flatMap((file) => [...read(file).matchAll(pattern)].map((match) => ({ file, match })))

describe('docs/security.md', () => {
  test('lists every rate limit, with its points and duration', () => {
    const formatDuration = (seconds: number) => {
      const [size, unit] =
        seconds % 86_400 === 0 ? [86_400, 'day'] : seconds % 3_600 === 0 ? [3_600, 'hour'] : [60, 'minute']
      return `${seconds / size} ${unit}${seconds === size ? '' : 's'}`
    }
    const found = inSources(
      /defineLimit\('(\w+)', \{ points: (\d+), seconds: ([\d* a-z]+)(?:, successes: (\d+))? \}\)/g,
    )
    expect(found.length).toBeGreaterThan(10)
    expect(found).toHaveLength(inSources(/= defineLimit\(/g).length)
    for (const { match } of found) {
      const seconds = (match[3] ?? '')
        .replace('minutes', '60')
        .split('*')
        .map(Number)
        .reduce((a, b) => a * b)
      const attempts = match[4] ? `${match[2]} (${match[4]} successful)` : match[2]
      expect(section('Limits')).toContain(`| \`${match[1]}\` | ${attempts} | ${formatDuration(seconds)} |`)
    }
  })

  test('lists every kind of the audit log', () => {
    const kinds = inSources(/\brecordAuditEvent\(\s*(?:tx|db),\s*'([a-z_]+)\.([a-z_]+)'/g)
    expect(kinds.length).toBeGreaterThan(10)
    const text = section('Logs and audit events') || ''
    for (const { match } of kinds) {
      const [, owner, event] = match
      const isNamed =
        text.includes(`\`${owner}.${event}\``) || (text.includes(`\`${owner}.`) && text.includes(`\`.${event}\``))
      expect(isNamed, `${owner}.${event}`).toBe(true)
    }
  })

  test('lists every file that encrypts, signs, hashes or generates secrets', () => {
    const usages = inSources(
      /from '(?:node:crypto|@node-rs\/(?:argon2|bcrypt)|jose|otpauth|@simplewebauthn\/server|aws4fetch)'/g,
    )
    const listed = section('Keys and algorithms')
    expect(new Set(usages.map(({ file }) => file)).size).toBeGreaterThan(5)
    for (const { file } of usages) expect(listed).toContain(`\`${file}\``)
    const weak = inSources(/\b(md5|sha1|des|rc4|ecb|createCipher\()\b/gi).map(({ file, match }) => [file, match[0]])
    // The protocol of the breach check requires SHA-1; nothing relies on it.
    expect(weak).toEqual([['src/core/auth/password/breached-passwords.ts', 'sha1']])
  })

  test('lists every setting with a URL that the app connects to, and nothing else connects', () => {
    const listed = section('Connections')
    for (const { match } of inSources(/^ {4}(\w+_(?:URL|ENDPOINT)): \{/gm))
      if (!/^AUTH_/.test(match[1] ?? '')) expect(listed).toContain(`\`${match[1]}\``)
    const callers = inSources(/(?<![.\w])fetch\(/g).map(({ file }) => file)
    const onServer = callers.filter((file) => read(file).includes("'server-only'"))
    expect(
      new Set(onServer).difference(
        new Set([
          'src/core/auth/oauth/config.ts',
          'src/core/auth/password/breached-passwords.ts',
          'src/core/storage/bucket.ts',
        ]),
      ),
    ).toEqual(new Set())
  })

  test('has the actual lifetimes of sessions', () => {
    const [viewer, editor, admin] = ['viewer', 'editor', 'admin'].map((role) => findRole(role)?.session)
    expect(viewer).toEqual(editor)
    const [hour, day] = [3_600, 86_400]
    const sessionsSection = section('Sessions')
    expect(sessionsSection).toContain(
      `| viewers, editors | ${Number(viewer?.idle) / day} days | ${Number(viewer?.absolute) / day} days |`,
    )
    expect(sessionsSection).toContain(
      `| admins | ${Number(admin?.idle) / hour} hours | ${Number(admin?.absolute) / hour} hours |`,
    )
    expect(sessionsSection).toContain(`at most ${maxSessionsPerUser} sessions`)
    expect(cookieOptions().maxAge).toBe(maxSessionSeconds)
  })

  test('lists every role that has a permission', () => {
    const roles = new Set(
      inSources(/'[a-z_]+\.[a-z_]+': \[('[^\]]+)\]/g).flatMap(({ match }) => match[1]?.split(', ') ?? []),
    )
    for (const role of roles) expect(section('Roles and permissions')).toContain(`| \`${role.replaceAll("'", '')}\` |`)
  })
})

test('password fields work with password managers, and allow pasting', () => {
  const fields = inSources(/<(?:New)?PasswordField[^>]*>/g)
    .map(({ match }) => match[0])
    // A component around it passes its props on.
    .filter((field) => !field.includes('{...props}'))
  expect(fields.length).toBeGreaterThan(4)
  for (const field of fields) expect(field).toMatch(/autoComplete="(current|new)-password"/)
  expect(inSources(/onPaste/g)).toEqual([])
})

test('every page behind sign-in has a sign-out button', () => {
  const hasShell = (file: string): boolean =>
    (existsSync(join(root, file)) && read(file).includes('AppShell')) ||
    (file !== 'src/app/layout.tsx' &&
      hasShell(`${dirname(file.replace(/\/layout\.tsx$/, '')).replace(/\/$/, '')}/layout.tsx`))
  const pages = sources.filter((file) => file.endsWith('/page.tsx') && /\brequire(Actor|Permission)\(/.test(read(file)))
  expect(pages.filter((file) => !hasShell(file))).toEqual([])
  expect(read('src/core/ui/app-shell.tsx')).toContain('action="/api/auth/signout')
})

test('the app logs only to standard output', () => {
  const writers = inSources(
    /pino\.(transport|destination|multistream)|\b(writeFile|appendFile|createWriteStream)\w*\(/g,
  )
  expect(writers).toEqual([])
})
