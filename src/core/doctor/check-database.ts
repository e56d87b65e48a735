import { Client } from 'pg'
// With their extensions, because `npm run doctor` runs this file in plain Node.
import { findMigrationFolders, migrationStatus, readMigrations } from '../db/migrate.ts'
import { findWallProblem } from '../db/scope-wall.ts'
import { seedUsers } from '../db/seed-users.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { broken, type Finding, note, ok } from './finding.ts'

/** What row-level security keeps apart: "organizations", in these tables. */
export interface Walled {
  noun: string
  tenantTables: string[]
}

/**
 * The connection, the version of PostgreSQL, the migrations, whether the database has the seeded users, and row-level security if
 * a module has scopes.
 */
export async function checkDatabase(databaseUrl: string, root: string, walled?: Walled): Promise<Finding[]> {
  let client: Client
  try {
    client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 3_000 })
    await client.connect()
  } catch (error) {
    const { message, fix } = describeDatabaseError(error) ?? {
      message: `Can’t connect to the database in DATABASE_URL: ${error instanceof Error ? error.message : String(error)}`,
      fix: 'Correct the URL, or leave DATABASE_URL empty to use PostgreSQL from npm.',
    }
    return [broken(message, fix)]
  }
  try {
    const { rows } = await client.query('show server_version')
    const version = Number.parseInt(rows[0].server_version, 10)
    const { pending, changed } = await migrationStatus(client, readMigrations(findMigrationFolders(root)))
    return [
      version >= 14
        ? ok(`Connected to PostgreSQL ${rows[0].server_version}`)
        : broken(`PostgreSQL ${rows[0].server_version} is too old`, 'Use 14 or newer.'),
      changed.length > 0
        ? broken(
            `Migrations changed after they were applied: ${changed.map(({ owner, name }) => `${owner}/${name}`).join(', ')}`,
            'Restore the files, then write new migrations instead.',
          )
        : pending.length > 0
          ? broken(`Pending migrations: ${countByOwner(pending)}`, 'Run "npm run db:migrate".')
          : ok('All migrations are applied'),
      ...(pending.length === 0 && changed.length === 0
        ? [await checkSeeded(client), ...(walled ? [await checkWall(client, walled)] : [])]
        : []),
    ]
  } finally {
    await client.end()
  }
}

/** Without it nothing in a scope can be read, and production does not start. */
async function checkWall(client: Client, { noun, tenantTables }: Walled): Promise<Finding> {
  const problem = await findWallProblem(client, tenantTables)
  return problem
    ? broken(
        `Rows of ${noun} aren’t kept apart: ${problem}`,
        'Run "npm run db:migrate". If its login may not create roles, see docs/tenancy.md.',
      )
    : ok(`Row-level security keeps ${noun} apart`)
}

/** How many there are of each owner: "core 3, shop 1". */
const countByOwner = (migrations: { owner: string }[]) =>
  [...Map.groupBy(migrations, ({ owner }) => owner)].map(([owner, { length }]) => `${owner} ${length}`).join(', ')

/** The emails of the seeded users are public, because they are in the source. */
async function checkSeeded(client: Client): Promise<Finding> {
  const { rows } = await client.query('select email from users where lower(email) = any($1)', [
    seedUsers.map(({ email }) => email),
  ])
  const isElsewhere = process.env.AUTH_URL?.startsWith('https://') ?? false
  if (rows.length === 0) return ok('No seeded users in the database')
  return isElsewhere
    ? broken(
        'The seeded users are in this database, and AUTH_URL isn’t on this machine',
        'Delete them. Their emails are public.',
      )
    : note('The seeded users are in this database', 'Production doesn’t start with them.')
}
