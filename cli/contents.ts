// What a created app contains of the template, and what `npx plinth verify` brings when it is asked to.
import { posix } from 'node:path'

const { dirname, join, normalize } = posix

/** Files that neither an app nor its verification needs. */
const ofTemplate = [
  /^\.ci\//,
  /^\.github\//,
  /^cli\//,
  /^docs\/(images\/|asvs-|(scale|testing)\.md$)/,
  /^scripts\/(commands|deploy)\.test\.ts$/,
  /^scripts\/(email-)?screenshots\.ts$/,
  /^src\/app\/\([^/]+\)\/screenshots\.ts$/,
  /^src\/app\/\(landing\)\/(_components|_images|showcase\.e2e\.ts$)/,
  /^src\/(asvs|brand|inserted-bugs|recipes|security-docs|size|words)\.test\.ts$/,
  /^tests\/app\/support\/screenshots\.ts$/,
  /^tests\/template\/(?!(security|faults|support)\/)/,
  /^tests\/template\/security\/modules-and-supply-chain\.ts$/,
  /^tests\/template\/support\/(cli|insert-bug|recipes|registry|tenancy-recipe)\.ts$/,
  /^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  /^(LICENSE|renovate\.json)$/,
]

/** Tests that an app has: they guard what its owners change, and show how to write another one. */
const testsOfApp = [
  // What a mistake in a module breaks: its rules, jobs, emails, roles, permissions, migrations.
  /^src\/(modules|jobs|pages)\.test\.ts$/,
  /^src\/core\/mail\/emails\.test\.ts$/,
  /^src\/core\/auth\/roles\.test\.ts$/,
  /^scripts\/schema-changes\.test\.ts$/,
  // The simplest example of a unit test.
  /^src\/core\/auth\/password\/rules\.test\.ts$/,
  // What users do, in a browser.
  /^tests\/app\/e2e\/(pages|reset|sign-in|sign-up|site)\.e2e\.ts$/,
  /^src\/app\/\(account\)\/account\.e2e\.ts$/,
  /^src\/app\/\(admin\)\/(admin|invitations)\.e2e\.ts$/,
  /^src\/app\/\(content\)\/content\.e2e\.ts$/,
  /^src\/app\/\(email-code\)\/email-code\.e2e\.ts$/,
  /^src\/app\/\(landing\)\/landing\.e2e\.ts$/,
  // The rules of modules that the pages do not show.
  /^src\/app\/\(account\)\/export\.test\.ts$/,
  /^src\/app\/\(admin\)\/(invitations|user-management)\.test\.ts$/,
  /^src\/app\/\(content\)\/posts\.test\.ts$/,
  /^src\/app\/\(docs\)\/document\.test\.ts$/,
  /^src\/app\/\(landing\)\/describe-site\.test\.ts$/,
]

/** Documents that only explain files of the verification. */
const docsOfVerification = /^docs\/(asvs|round-trips)\.md$/

const isTest = (path: string) => /\.(test|e2e)\.ts$/.test(path)
const isSuite = (path: string) =>
  /^tests\/template\/|^tests\/app\/contract\/(auth-js|caller|crawlers|cross-site|health|search|sign-out)\.ts$/.test(
    path,
  )
/** What tests share. An app has those files that one of its own tests uses. */
const isSupport = (path: string) => /^tests\/app\/support\/|^src\/app\/\([^/]+\)\/(e2e|test)-[^/]+\.ts$/.test(path)
const isDecision = (path: string) => /^docs\/decisions\//.test(path)

export interface Contents {
  /** Paths of the files of a created app. */
  app: string[]
  /** Paths of the files that `npx plinth verify` adds to a copy of the app. */
  verification: string[]
}

/** Divides the files of the template, without those that only the template itself needs. */
export function divide(files: Map<string, string>): Contents {
  const paths = [...files.keys()].filter((path) => !ofTemplate.some((pattern) => pattern.test(path)))
  const isDispensable = (path: string) =>
    isSuite(path) ||
    docsOfVerification.test(path) ||
    (isTest(path) && !testsOfApp.some((pattern) => pattern.test(path)))
  const candidates = paths.filter((path) => !isDispensable(path))
  const needed = importedFrom(
    files,
    candidates.filter((path) => !isSupport(path)),
  )
  const cited = citedDecisions(candidates.map((path) => (isDecision(path) ? '' : (files.get(path) ?? ''))))
  const app = candidates.filter(
    (path) => (!isSupport(path) || needed.has(path)) && (!isDecision(path) || cited.some((one) => path.includes(one))),
  )
  const inApp = new Set(app)
  return { app, verification: paths.filter((path) => !inApp.has(path) && !isDecision(path)) }
}

/** Support files that these files import, directly or not. Configurations name some of them by their path. */
function importedFrom(files: Map<string, string>, starts: string[]): Set<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    for (const [, name = ''] of (files.get(path) ?? '').matchAll(/'([^'\n]+)'/g))
      for (const base of name.startsWith('.') ? [join(dirname(path), name), normalize(name)] : [name]) {
        const target = base.endsWith('.ts') ? base : `${base}.ts`
        if (!isSupport(target) || !files.has(target) || found.has(target)) continue
        found.add(target)
        visit(target)
      }
  }
  for (const start of starts) if (/\.tsx?$/.test(start)) visit(start)
  return found
}

/** The numbers of the decisions that these texts refer to. */
const citedDecisions = (texts: string[]) =>
  texts.flatMap((text) => [...text.matchAll(/decisions\/(\d{4})/g)].map(([, number]) => `/${number}-`))
