import pg from 'pg'

export interface Kind {
  isVerified?: boolean
  isSuspended?: boolean
  hasPassword?: boolean
  role?: 'viewer' | 'editor' | 'admin'
}

/** A person of this test's own, with the password of the seeded ones: what is done to them disturbs no other test. */
export async function newPerson(
  { isVerified = true, isSuspended = false, hasPassword = true, role = 'viewer' }: Kind = {},
  databaseUrl = process.env.DATABASE_URL,
): Promise<string> {
  const email = `person-${crypto.randomUUID()}@example.com`
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    `insert into users (email, name, role, email_verified_at, suspended_at)
     values ($1, 'Somebody', $4, case when $2 then now() end, case when $3 then now() end) returning id`,
    [email, isVerified, isSuspended, role],
  )
  if (hasPassword) {
    await client.query(
      `insert into passwords (user_id, hash)
       select $1, hash from passwords join users on users.id = user_id where email = 'viewer@example.com'`,
      [rows[0].id],
    )
  }
  await client.end()
  return email
}
