// What the app is made of, and what it hands out.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockfileProblems } from '../../scripts/lockfile.ts'
import { root } from '../../scripts/root.ts'
import { secretsIn, secretsInFiles, secretsInHistory, trackedFiles } from '../../scripts/secrets.ts'
import { check, skip } from './checks.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const hasLockfile = existsSync(join(root, 'package-lock.json'))
const checkLockfile: typeof check = (number, says, run) =>
  hasLockfile ? check(number, says, run) : skip(number, says, 'there is no lockfile of npm')

interface Locked {
  version: string
  license?: string
  optional?: boolean
}
const locked = (): Record<string, Locked> => {
  const { '': _, ...packages } = JSON.parse(read('package-lock.json')).packages
  return packages
}
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

checkLockfile('H-329', 'a package from elsewhere, or without its checksum, closes the gate', async () => {
  const lockfile = JSON.parse(read('package-lock.json'))
  const manifest = JSON.parse(read('package.json'))
  assert.deepEqual(lockfileProblems(lockfile, manifest), [])
  const [path = ''] = Object.keys(locked())
  for (const change of [{ resolved: 'https://evil.example/x.tgz' }, { integrity: undefined }]) {
    const changed = { packages: { ...lockfile.packages, [path]: { ...lockfile.packages[path], ...change } } }
    assert.equal(lockfileProblems(changed, manifest).length, 1, JSON.stringify(change))
  }
})

checkLockfile('H-330', 'a package that wants to run something when it is installed closes the gate', async () => {
  const manifest = JSON.parse(read('package.json'))
  const added = { version: '1.0.0', integrity: 'sha512-x', hasInstallScript: true }
  const problems = lockfileProblems({ packages: { 'node_modules/new-one': added } }, manifest)
  assert.match(problems.join('\n'), /new-one has an install script/)
})

checkLockfile('H-333', 'the bill of materials is the same each time, and is what is installed', async () => {
  const make = () => execFileSync(process.execPath, [join(root, 'scripts', 'sbom.ts')], { encoding: 'utf8' })
  const bill = make()
  assert.equal(make(), bill)
  const listed = new Set<string>(
    JSON.parse(bill).components.map(
      ({ group, name, version }: Record<string, string>) => `${group ? `${group}/` : ''}${name}@${version}`,
    ),
  )
  let count = 0
  for (const [path, { version, optional }] of Object.entries(locked())) {
    if (!existsSync(join(root, path, 'package.json'))) {
      assert.ok(optional, `${path} is not installed`)
      continue
    }
    count++
    const installed = JSON.parse(read(join(path, 'package.json')))
    assert.equal(installed.version, version, path)
    assert.ok(listed.has(`${nameOf(path)}@${version}`), `${path} is not in the bill`)
  }
  return `${listed.size} in the bill, ${count} of them installed here`
})

check('H-334', 'no secret is in the files, nor in their history', async () => {
  // The search finds what it is there for; written in two parts, or it would find these lines.
  for (const secret of [
    `${'AKIA'}IOSFODNN7EXAMPLE`,
    `${'-----BEGIN '}PRIVATE KEY-----`,
    `${'ghp_'}${'a1B2'.repeat(9)}`,
    `${'AUTH_SECRET'}=${'k3Jd'.repeat(10)}`,
    `${'postgres://app'}:hunter2hunter2@db.internal/app`,
  ])
    assert.equal(secretsIn(secret).length, 1, secret.slice(0, 12))
  assert.deepEqual(
    secretsInFiles(
      root,
      trackedFiles(root).filter((file) => existsSync(join(root, file))),
    ),
    [],
  )
  assert.deepEqual(await secretsInHistory(root), [])
})

/** What may be used in an app that its owner does not publish. LGPL is for libvips, which sharp loads as a library. */
const licences =
  /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MPL-2\.0|LGPL-3\.0-or-later|OFL-1\.1|PSF-2\.0|CC0-1\.0|CC-BY-4\.0|Unlicense|BlueOak-1\.0\.0)$/
const isFree = (licence: string) =>
  licence
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((choice) => licences.test(choice.trim())))

checkLockfile('H-335', 'every licence is one that lets people keep their app to themselves', async () => {
  for (const licence of ['GPL-3.0-only', 'AGPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', ''])
    assert.ok(!isFree(licence), licence)
  const others = Object.entries(locked()).filter(([, { license }]) => !isFree(license ?? ''))
  assert.deepEqual(
    others.map(([path, { license }]) => `${nameOf(path)}: ${license}`),
    [],
  )
})

/** Names that many look for, and that others would like to be mistaken for. */
const wellKnown =
  'angular ansi-styles async axios babel bcrypt bluebird body-parser browserslist chalk chokidar classnames colors commander cookie core-js cors cross-env cross-spawn dayjs debug discord.js dotenv drizzle-orm electron eslint esbuild express fastify fs-extra glob graphql handlebars http-proxy husky immer ioredis jest jose jquery js-yaml jsonwebtoken knex lodash lucide-react mime minimist moment mongodb mongoose ms mysql nanoid next next-auth node-fetch nodemailer nodemon npm open passport pg pg-boss pino playwright postcss prettier prisma puppeteer radix-ui react react-dom react-router redis redux request rimraf rollup rxjs semver sequelize sharp socket.io sonner supports-color svelte tailwindcss tailwind-merge ts-node tslib typeorm typescript uuid vite vitest vue webpack winston ws yargs zod'.split(
    ' ',
  )

/** One letter more, less or other, or two that changed places. */
function isNearly(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  const isSwapped = left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
  return isSwapped || Math.max(left.length, right.length) <= 1
}

checkLockfile('H-337', 'no package has nearly the name of another', async () => {
  for (const [one, other] of [
    ['expres', 'express'],
    ['lodahs', 'lodash'],
    ['reacts', 'react'],
    ['axois', 'axios'],
  ] as const)
    assert.ok(isNearly(one, other), one)
  const own = JSON.parse(read('package.json'))
  const known = new Set([...wellKnown, ...Object.keys({ ...own.dependencies, ...own.devDependencies })])
  // Looked at: each is older than the name it resembles, or belongs to the same people.
  const meant = new Set([
    'ms',
    'ws',
    'pg',
    'open',
    'mime',
    'ini',
    'ip',
    'jest',
    'got',
    'tr46',
    'nopt',
    'he',
    'next',
    'cookies',
    'preact',
  ])
  const names = [...new Set(Object.keys(locked()).map(nameOf))].filter((name) => !known.has(name) && !meant.has(name))
  const suspects = names.flatMap((name) =>
    [...known]
      .filter((other) => other.length > 3 && isNearly(name, other))
      .map((other) => `${name} is nearly ${other}`),
  )
  assert.deepEqual(suspects, [])
})

check('H-339', 'what browsers get makes no code from text, and names no setting of the server', async () => {
  const files = globSync('.next/static/**/*.{js,css}', { cwd: root })
  assert.ok(files.length > 10)
  const settings = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1] ?? '')
  assert.ok(settings.length > 10)
  const pattern = new RegExp(`\\b(${settings.filter((name) => name !== 'PORT').join('|')})\\b`)
  for (const file of files) {
    const text = read(file)
    assert.doesNotMatch(text, /\beval\(|\bnew Function\(/, file)
    assert.doesNotMatch(text, pattern, file)
    assert.deepEqual(secretsIn(text), [], file)
  }
  return `${files.length} files`
})
