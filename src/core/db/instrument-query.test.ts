import { expect, test } from 'vitest'
import { summarize } from './instrument-query'

test.each([
  ['select "id" from "users" where "email" = $1', 'select users'],
  ['insert into "audit_events" ("kind") values ($1)', 'insert audit_events'],
  ['update jobs.job set state = $1', 'update jobs.job'],
  ['begin', 'begin'],
  ['with made as (select 1) select 2', 'with'],
  ['', 'query'],
])('%s is summarized as %s', (text, summary) => expect(summarize(text)).toBe(summary))
