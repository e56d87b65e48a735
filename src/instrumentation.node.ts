import { noteSocketAddresses } from '@/core/address'
import { keepConnections } from '@/core/connections'
import { checkEnv, coreEnv, env } from '@/core/env'
import { mendIncoming } from '@/core/incoming'
import { startTelemetry } from '@/core/telemetry/start'
import { modules } from '@/modules'

function refuseToStart(reason: string): never {
  console.error(reason)
  process.exit(1)
}

const problems = checkEnv([coreEnv, ...modules.flatMap((module) => module.env ?? [])])
if (problems) refuseToStart(problems)

const sendTraces = await startTelemetry()

// Auth.js reads it from the environment, and would believe any Host without it.
process.env.AUTH_URL ||= env.AUTH_URL
noteSocketAddresses()
mendIncoming()
keepConnections()

if (process.env.NODE_ENV === 'production') {
  // Only now: they read settings as they load.
  const { log, logTheConsole } = await import('@/core/log')
  const { endAfterCrash } = await import('@/core/crash')
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
  if (people.length > 0)
    log.warn({ count: people.length }, 'the people of development can sign in here: ALLOW_SEEDED_PEOPLE is set')
  logTheConsole()
  endAfterCrash()
}

if (env.METRICS_PORT) (await import('@/core/telemetry/observe-engines')).observeEngines()

let stopWork = async () => {}

if (env.ADMIN_EMAIL || env.WORKER === 'inside') {
  const { log } = await import('@/core/log')
  const { appointFirstAdmin } = await import('@/core/auth/first-admin')
  const { startAppWorker } = await import('@/worker')

  if (env.ADMIN_EMAIL) {
    await appointFirstAdmin(env.ADMIN_EMAIL).catch((error) => log.warn({ error }, 'could not look for the first admin'))
  }
  if (env.WORKER === 'inside') stopWork = (await startAppWorker()).stop
}

if (process.env.NODE_ENV === 'production') {
  const { drainOnSignals } = await import('@/core/drain')
  drainOnSignals(stopWork, sendTraces)
} else {
  // Next ends the process on its own after these; jobs that are cut off are taken up again by another worker.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopWork)
}
