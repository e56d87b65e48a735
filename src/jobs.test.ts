import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { loadJobs } from './jobs'

/** Names of the jobs and emails that a source defines, such as `defineEmail('signup', …)`. */
const jobsDefinedIn = (source: string) =>
  [...source.matchAll(/\bdefine(\w*)(Job|Email|Notice)\(\s*'([\w.-]+)'/g)].map(([, , kind, name]) =>
    kind === 'Job' ? name : `mail.${name}`,
  )

test('every job and email that a file defines is in a list that workers run: "jobs" in module.ts', async () => {
  const listed = (await loadJobs()).map(({ name }) => name)
  const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !/\.(test|e2e)\.ts$/.test(file))
  const found = sources.flatMap((file) =>
    jobsDefinedIn(readFileSync(join(root, file), 'utf8')).map((name) => `${name}, defined in ${file}`),
  )
  expect(found.length).toBeGreaterThanOrEqual(10)
  expect(found.filter((job) => !listed.some((name) => job.startsWith(`${name}, `)))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

test('the search for definitions finds jobs, emails and notices', () => {
  const source = `defineJob('a.b', {}); defineEmail('c', {}); defineSecurityNotice(\n  'd_e', {}); defineFixedEmail('f', {})`
  expect(jobsDefinedIn(source)).toEqual(['a.b', 'mail.c', 'mail.d_e', 'mail.f'])
})
