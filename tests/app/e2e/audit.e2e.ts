import { expect, test } from '../support/e2e-test.ts'
import { newUser } from '../support/new-user.ts'
import { query } from '../support/query.ts'

interface Event {
  kind: string
  isOwn: boolean
  ip: string
  device: string
  details: Record<string, string> | null
}

test('sign-in and sign-out are recorded in the audit log with user, IP and user agent', async ({
  request,
  password,
  clientIp,
}) => {
  const email = await newUser()
  const headers = { 'user-agent': 'e2e/1' }
  const signIn = (tried: string) =>
    request.post('/api/auth/signin', { data: { email, password: tried, redirect: false }, headers })
  await signIn('wrong')
  await signIn(password)
  await request.post('/api/auth/signout', { data: { redirect: false }, headers })
  const events = await query<Event>(
    `select kind, actor_id is not distinct from target_id as "isOwn", host(ip) as ip, user_agent as device, details
     from audit_events where target_id = (select id from users where email = $1) order by id`,
    [email],
  )
  const client = { ip: clientIp, device: 'e2e/1' }
  expect(events).toEqual([
    { kind: 'signin.failed', isOwn: false, ...client, details: { reason: 'wrong_password' } },
    { kind: 'session.started', isOwn: true, ...client, details: { way: 'password' } },
    { kind: 'session.ended', isOwn: true, ...client, details: null },
  ])
})

test('a sign-in attempt with an unknown email is recorded without the email', async ({ request, clientIp }) => {
  const email = `unknown-${crypto.randomUUID()}@example.com`
  await request.post('/api/auth/signin', { data: { email, password: 'whatever it is', redirect: false } })
  const rows = await query<{ row: string }>('select a::text as row from audit_events a where host(ip) = $1', [clientIp])
  expect(rows).toHaveLength(1)
  expect(rows[0]?.row).toContain('unknown')
  expect(rows[0]?.row).not.toContain(email)
  expect(rows[0]?.row).not.toContain('whatever it is')
})

for (const statement of [
  "update audit_events set kind = 'nothing.happened'",
  'delete from audit_events',
  'truncate audit_events',
]) {
  test(`the database rejects, even for the app's own role: ${statement}`, async () => {
    await query("insert into audit_events (kind) values ('test.happened')")
    await expect(query(statement)).rejects.toThrow('written once and never changed')
  })
}
