import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { cookieOptions, mostSessions, sessionLifetime } from './core/auth/settings'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const page = read('docs/security.md')
const section = (title: string) => /\n## /.exec(page) && (page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '')

/** Core, and the modules that came with it; what others write is theirs to describe. */
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))
  .filter((file) => !/^src\/app\/\((?!(account|admin|content|docs|landing)\))/.test(file))
const inSources = (pattern: RegExp) =>
  sources.flatMap((file) => [...read(file).matchAll(pattern)].map((match) => ({ file, match })))

describe('docs/security.md', () => {
  test('names every limit, with how many and how long', () => {
    const inWords = (seconds: number) => {
      const [size, word] =
        seconds % 86_400 === 0 ? [86_400, 'day'] : seconds % 3_600 === 0 ? [3_600, 'hour'] : [60, 'minute']
      return `${seconds / size} ${word}${seconds === size ? '' : 's'}`
    }
    const found = inSources(/defineLimit\('(\w+)', \{ points: (\d+), seconds: ([\d* a-z]+) \}\)/g)
    expect(found.length).toBeGreaterThan(10)
    expect(found).toHaveLength(inSources(/= defineLimit\(/g).length)
    for (const { match } of found) {
      const seconds = (match[3] ?? '')
        .replace('minutes', '60')
        .split('*')
        .map(Number)
        .reduce((a, b) => a * b)
      expect(section('Limits')).toContain(`| \`${match[1]}\` | ${match[2]} | ${inWords(seconds)} |`)
    }
  })

  test('names every kind of the audit log', () => {
    const kinds = inSources(/\brecord\((?:tx|db), '([a-z_]+)\.([a-z_]+)'/g)
    expect(kinds.length).toBeGreaterThan(10)
    const text = section('What is written down') || ''
    for (const { match } of kinds) {
      const [, owner, event] = match
      const isNamed =
        text.includes(`\`${owner}.${event}\``) || (text.includes(`\`${owner}.`) && text.includes(`\`.${event}\``))
      expect(isNamed, `${owner}.${event}`).toBe(true)
    }
  })

  test('names every place that encrypts, signs, hashes or makes secrets', () => {
    const places = inSources(/from '(?:node:crypto|@node-rs\/argon2|jose|otpauth|@simplewebauthn\/server|aws4fetch)'/g)
    const listed = section('Keys and algorithms')
    expect(new Set(places.map(({ file }) => file)).size).toBeGreaterThan(5)
    for (const { file } of places) expect(listed).toContain(`\`${file}\``)
    expect(inSources(/\b(md5|sha1|des|rc4|ecb|createCipher\()\b/gi).map(({ file, match }) => [file, match[0]])).toEqual(
      [],
    )
  })

  test('names every setting that is an address to connect to, and nothing else connects', () => {
    const listed = section('Connections')
    for (const { match } of inSources(/^ {4}(\w+_(?:URL|ENDPOINT)): \{/gm))
      if (!/^AUTH_/.test(match[1] ?? '')) expect(listed).toContain(`\`${match[1]}\``)
    const callers = inSources(/(?<![.\w])fetch\(/g).map(({ file }) => file)
    const onServer = callers.filter((file) => read(file).includes("'server-only'"))
    expect(
      new Set(onServer).difference(new Set(['src/core/auth/oauth/config.ts', 'src/app/(account)/bucket.ts'])),
    ).toEqual(new Set())
  })

  test('tells the times of sessions as they are', () => {
    const { standard, admin } = sessionLifetime
    const [hour, day] = [3_600, 86_400]
    const told = section('Sessions')
    expect(told).toContain(`| viewers, editors | ${standard.idle / day} days | ${standard.absolute / day} days |`)
    expect(told).toContain(`| admins | ${admin.idle / hour} hours | ${admin.absolute / hour} hours |`)
    expect(told).toContain(`at most ${mostSessions} sessions`)
    expect(cookieOptions().maxAge).toBe(standard.absolute)
  })

  test('names the roles of every permission of the modules that came with it', () => {
    const roles = new Set(
      inSources(/'[a-z_]+\.[a-z_]+': \[([^\]]+)\]/g).flatMap(({ match }) => match[1]?.split(', ') ?? []),
    )
    for (const role of roles) expect(section('Who may do what')).toContain(`| \`${role.replaceAll("'", '')}\` |`)
  })
})

test('fields for passwords are left to password managers, and take what is pasted', () => {
  const fields = inSources(/<PasswordField[^>]*>/g).map(({ match }) => match[0])
  expect(fields.length).toBeGreaterThan(4)
  for (const field of fields) expect(field).toMatch(/autoComplete="(current|new)-password"/)
  expect(inSources(/onPaste/g)).toEqual([])
})

test('every page for people who are signed in lets people sign out', () => {
  const hasShell = (file: string): boolean =>
    (existsSync(join(root, file)) && read(file).includes('AppShell')) ||
    (file !== 'src/app/layout.tsx' &&
      hasShell(`${dirname(file.replace(/\/layout\.tsx$/, '')).replace(/\/$/, '')}/layout.tsx`))
  const pages = sources.filter((file) => file.endsWith('/page.tsx') && /\brequire(Actor|Permission)\(/.test(read(file)))
  expect(pages.filter((file) => !hasShell(file))).toEqual([])
  expect(read('src/core/ui/app-shell.tsx')).toContain('action="/api/auth/signout')
})

test('the app logs to nowhere else than standard output', () => {
  const writers = inSources(
    /pino\.(transport|destination|multistream)|\b(writeFile|appendFile|createWriteStream)\w*\(/g,
  )
  expect(writers).toEqual([])
})
