import { expect, test } from 'vitest'
import { appSlug } from '@/brand'
import { hashToken } from '@/core/auth/tokens/token'
import { pool } from '@/core/db/client'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { asRequest } from '../../../tests/app/support/next-headers'
import { GET as exportAuditLog } from './api/admin/audit/export/route'
import { GET as exportUsers } from './api/admin/users/export/route'
import { csvLine } from './csv'

test('cells are separated by commas, and quoted where needed', () => {
  expect(csvLine(['a', 'b, "c"', null, new Date(0)])).toBe('a,"b, ""c""",,1970-01-01T00:00:00.000Z\r\n')
})

test.each(['=cmd()', '+1', '-1', '@x', '\tx', '|x', '%x', '＝x'])('%s is not run as a formula', (text) => {
  expect(csvLine([text])).toBe(`'${text}\r\n`)
})

test.each([
  ['a;=cmd()', `"a;'=cmd()"`],
  ['a; "=cmd()', `"a; ""'=cmd()"`],
  ['a\r\n=cmd()', `"a\r\n'=cmd()"`],
  ['a,-1', `"a,'-1"`],
])('%j is not run as a formula with other separators, either', (text, line) => {
  expect(csvLine([text])).toBe(`${line}\r\n`)
})

test('formula characters inside a name are left unchanged', () => {
  expect(csvLine(['Anne-Marie @ Work 100%'])).toBe('Anne-Marie @ Work 100%\r\n')
})

test.each([
  ['users', exportUsers],
  ['the audit log', exportAuditLog],
])('an export of %s is the only one of its admin, and ends once they lose the session', async (_, get) => {
  const token = await newSessionToken('admin')
  const headers = { cookie: `${appSlug}.session=${token}` }
  const request = new Request('http://localhost:3000/x', { headers })
  const send = () => asRequest(headers, () => get(request, { params: Promise.resolve({}) }))
  const response = await send()
  const reader = response.body?.getReader()
  expect((await reader?.read())?.done).toBe(false)
  expect((await send()).status).toBe(429)
  await pool.query('delete from sessions where token_hash = $1', [hashToken(token)])
  await expect(reader?.read()).rejects.toThrow('lost the permission')
  expect((await send()).status).toBe(401)
})
