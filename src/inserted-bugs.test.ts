import { expect, test } from 'vitest'
import { mutations } from '../tests/template/mutations/mutations.ts'
import { filesWithBug } from '../tests/template/support/insert-bug.ts'
import { bugs } from '../tests/template/verdict/bugs.ts'

// The tests that insert them are in the full run, where a bug that no longer fits would be noticed late.
test.for([...mutations, ...bugs])('the bug "$name" can still be inserted', (bug) => {
  expect(filesWithBug(process.cwd(), bug)).not.toEqual([])
})
