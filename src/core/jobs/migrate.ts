import { PgBoss } from 'pg-boss'

/** PostgreSQL schema of the queue's tables. */
export const queueSchema = 'jobs'

/** Creates the tables of the queue, or migrates them to the installed version. Part of `npm run db:migrate`. */
export async function migrateQueue(databaseUrl: string): Promise<void> {
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: queueSchema,
    supervise: false,
    schedule: false,
    max: 1,
  })
  await boss.start()
  await boss.stop({ graceful: false })
}
