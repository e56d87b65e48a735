// The dependencies of the app, and the files it ships.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockfileProblems } from '../../../scripts/lockfile.ts'
import { root } from '../../../scripts/root.ts'
import { secretsIn, secretsInFiles, secretsInHistory, trackedFiles } from '../../../scripts/secrets.ts'
import { check, skip } from '../../app/support/checks.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const hasLockfile = existsSync(join(root, 'package-lock.json'))
const checkLockfile: typeof check = (number, title, run, options) =>
  hasLockfile ? check(number, title, run, options) : skip(number, title, 'there is no package-lock.json')

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

checkLockfile('H-329', 'a package from another registry, or without a checksum, fails the lockfile check', async () => {
  const lockfile = JSON.parse(read('package-lock.json'))
  const manifest = JSON.parse(read('package.json'))
  assert.deepEqual(lockfileProblems(lockfile, manifest), [])
  const [path = ''] = Object.keys(locked())
  for (const change of [{ resolved: 'https://evil.example/x.tgz' }, { integrity: undefined }]) {
    const changed = { packages: { ...lockfile.packages, [path]: { ...lockfile.packages[path], ...change } } }
    assert.equal(lockfileProblems(changed, manifest).length, 1, JSON.stringify(change))
  }
})

checkLockfile('H-330', 'a new package with an install script fails the lockfile check', async () => {
  const manifest = JSON.parse(read('package.json'))
  const added = { version: '1.0.0', integrity: 'sha512-x', hasInstallScript: true }
  const problems = lockfileProblems({ packages: { 'node_modules/new-one': added } }, manifest)
  assert.match(problems.join('\n'), /new-one has an install script/)
})

checkLockfile('H-333', 'the SBOM is reproducible and matches what is installed', async () => {
  const make = () => execFileSync(process.execPath, [join(root, 'scripts', 'sbom.ts')], { encoding: 'utf8' })
  const sbom = make()
  assert.equal(make(), sbom)
  const listed = new Set<string>(
    JSON.parse(sbom).components.map(
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
    assert.ok(listed.has(`${nameOf(path)}@${version}`), `${path} is not in the SBOM`)
  }
  return `${listed.size} in the SBOM, ${count} of them installed here`
})

check('H-334', 'no secret is in the tracked files or in the git history', async () => {
  // The scanner finds what it should. Written in two parts, so that it does not find these lines.
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

/** Licenses allowed in an app that is not published. LGPL is for libvips, which sharp loads as a library. */
const allowedLicenses =
  /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|MPL-2\.0|LGPL-3\.0-or-later|OFL-1\.1|PSF-2\.0|CC0-1\.0|CC-BY-4\.0|Unlicense|BlueOak-1\.0\.0)$/
const isAllowedLicense = (license: string) =>
  license
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((part) => part.split(' OR ').some((choice) => allowedLicenses.test(choice.trim())))

checkLockfile('H-335', 'every license allows a closed-source app', async () => {
  for (const license of ['GPL-3.0-only', 'AGPL-3.0-only', 'MIT AND GPL-2.0-only', 'UNLICENSED', ''])
    assert.ok(!isAllowedLicense(license), license)
  const others = Object.entries(locked()).filter(([, { license }]) => !isAllowedLicense(license ?? ''))
  assert.deepEqual(
    others.map(([path, { license }]) => `${nameOf(path)}: ${license}`),
    [],
  )
})

/** Popular package names that typosquatters imitate. */
const popularNames =
  'angular ansi-styles async axios babel bcrypt bluebird body-parser browserslist chalk chokidar classnames colors commander cookie core-js cors cross-env cross-spawn dayjs debug discord.js dotenv drizzle-orm electron eslint esbuild express fastify fs-extra glob graphql handlebars http-proxy husky immer ioredis jest jose jquery js-yaml jsonwebtoken knex lodash lucide-react mime minimist moment mongodb mongoose ms mysql nanoid next next-auth node-fetch nodemailer nodemon npm open passport pg pg-boss pino playwright postcss prettier prisma puppeteer radix-ui react react-dom react-router redis redux request rimraf rollup rxjs semver sequelize sharp socket.io sonner supports-color svelte tailwindcss tailwind-merge ts-node tslib typeorm typescript uuid vite vitest vue webpack winston ws yargs zod'.split(
    ' ',
  )

/** One character added, removed or replaced, or two adjacent ones swapped. */
function isNearMiss(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const [left, right] = [one.slice(start, one.length - end), other.slice(start, other.length - end)]
  const isSwapped = left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0]
  return isSwapped || Math.max(left.length, right.length) <= 1
}

checkLockfile('H-337', 'no package name is a near miss of a popular one', async () => {
  for (const [one, other] of [
    ['expres', 'express'],
    ['lodahs', 'lodash'],
    ['reacts', 'react'],
    ['axois', 'axios'],
  ] as const)
    assert.ok(isNearMiss(one, other), one)
  const own = JSON.parse(read('package.json'))
  const known = new Set([...popularNames, ...Object.keys({ ...own.dependencies, ...own.devDependencies })])
  // Reviewed: each is older than the name it resembles, or has the same maintainers.
  const reviewedNames = new Set([
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
  const names = [...new Set(Object.keys(locked()).map(nameOf))].filter(
    (name) => !known.has(name) && !reviewedNames.has(name),
  )
  const suspects = names.flatMap((name) =>
    [...known]
      .filter((other) => other.length > 3 && isNearMiss(name, other))
      .map((other) => `${name} resembles ${other}`),
  )
  assert.deepEqual(suspects, [])
})

check('H-339', 'browser bundles use no eval or Function, and contain no setting of the server', async () => {
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
