import { expect, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { query } from '../support/query.ts'

interface Event {
  kind: string
  isOwn: boolean
  ip: string
  device: string
  details: Record<string, string> | null
}

test('what people do with their sessions is written down: who, from where, with what', async ({
  request,
  password,
  address,
}) => {
  const email = await newPerson()
  const headers = { 'user-agent': 'journey/1' }
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
  const from = { ip: address, device: 'journey/1' }
  expect(events).toEqual([
    { kind: 'signin.failed', isOwn: false, ...from, details: { reason: 'wrong_password' } },
    { kind: 'session.started', isOwn: true, ...from, details: { way: 'password' } },
    { kind: 'session.ended', isOwn: true, ...from, details: null },
  ])
})

test('a try with an address that nobody has is written down without the address', async ({ request, address }) => {
  const email = `unknown-${crypto.randomUUID()}@example.com`
  await request.post('/api/auth/signin', { data: { email, password: 'whatever it is', redirect: false } })
  const rows = await query<{ row: string }>('select a::text as row from audit_events a where host(ip) = $1', [address])
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
  test(`the app's own role cannot do this: ${statement}`, async () => {
    await query("insert into audit_events (kind) values ('test.happened')")
    await expect(query(statement)).rejects.toThrow('written once and never changed')
  })
}
