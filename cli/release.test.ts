import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { releaseProblems } from './release.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

test('package.json, the lockfile and the changelog agree on the version, and earlier releases are kept', () => {
  const isDated = (problem: string) => !problem.includes('Not released yet')
  expect(releaseProblems(version).filter(isDated)).toEqual([])
})

test('another version is rejected, with what to change', () => {
  expect(releaseProblems('99.0.0').join('\n')).toMatch(
    /package\.json has version [\s\S]*package-lock\.json[\s\S]*CHANGELOG\.md is/,
  )
})
