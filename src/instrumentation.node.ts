import { noteSocketAddresses } from '@/core/address'
import { checkEnv, coreEnv, env } from '@/core/env'
import { mendIncoming } from '@/core/incoming'
import { modules } from '@/modules'

function refuseToStart(reason: string): never {
  console.error(reason)
  process.exit(1)
}

const problems = checkEnv([coreEnv, ...modules.flatMap((module) => module.env ?? [])])
if (problems) refuseToStart(problems)

// Auth.js reads it from the environment, and would believe any Host without it.
process.env.AUTH_URL ||= env.AUTH_URL
noteSocketAddresses()
mendIncoming()

if (process.env.NODE_ENV === 'production') {
  // Only now: they read settings as they load.
  const { log, logTheConsole } = await import('@/core/log')
  const { findSeededPeople } = await import('@/core/db/seeded')
  const { connectRedis } = await import('@/core/limits/redis')

  await connectRedis()

  // A database that is away at this moment is no reason not to start: readiness says so, and it may come back.
  const people = await findSeededPeople().catch((error) => {
    log.warn({ error }, 'could not look for seeded people')
    return []
  })
  if (people.length > 0 && !env.ALLOW_SEEDED_PEOPLE) {
    refuseToStart(
      `The people of development are in this database: ${people.join(', ')}. Delete them, or set ALLOW_SEEDED_PEOPLE=1 if nobody else can reach this app.`,
    )
  }
  logTheConsole()
}

if (env.ADMIN_EMAIL || env.WORKER === 'inside') {
  const { log } = await import('@/core/log')
  const { appointFirstAdmin } = await import('@/core/auth/first-admin')
  const { startAppWorker } = await import('@/worker')

  if (env.ADMIN_EMAIL) {
    await appointFirstAdmin(env.ADMIN_EMAIL).catch((error) => log.warn({ error }, 'could not look for the first admin'))
  }
  if (env.WORKER === 'inside') {
    const worker = await startAppWorker()
    // Next ends the process on its own after these; jobs that are cut off are taken up again by another worker.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => worker.stop())
  }
}
