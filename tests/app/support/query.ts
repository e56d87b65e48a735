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
