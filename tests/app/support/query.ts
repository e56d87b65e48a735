import pg from 'pg'

/** Runs one SQL statement on the database of the app under test. */
export async function query<Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[] = [],
  connectionString = process.env.DATABASE_URL,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}

/** Sets the last reauthentication of a user to more than an hour ago, in all their sessions. */
export const expireReauthentication = (
  email: string,
  run: (text: string, values: unknown[]) => Promise<unknown> = query,
) =>
  run(
    `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
    [email],
  )
