import { PgBoss } from 'pg-boss'

/** Where the queue keeps its tables, beside the app's own. */
export const queueSchema = 'jobs'

/** Makes the queue's tables, or brings them up to the installed version. Part of `npm run db:migrate`. */
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
