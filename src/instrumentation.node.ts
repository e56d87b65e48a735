import { checkEnv, coreEnv, env, findMisspelledSettings } from '@/core/env'
import { rejectForeignHosts } from '@/core/http/dev-hosts'
import { readNotFoundPage } from '@/core/http/error-pages/not-found-page'
import { hardenHttp } from '@/core/http/harden'
import { setKeepAlive } from '@/core/http/keep-alive'
import { startTelemetry } from '@/core/telemetry/start'
import { modules } from '@/modules'

function exitWith(reason: string): never {
  console.error(reason)
  process.exit(1)
}

const owners = [coreEnv, ...modules.flatMap((module) => module.env ?? [])]
const problems = checkEnv(owners)
if (problems) exitWith(problems)

const flushTraces = await startTelemetry()

// Auth.js reads AUTH_URL from the environment; without it, it would trust any Host header.
process.env.AUTH_URL ||= env.AUTH_URL
// The development server renders this page on each request, so it has none to send.
const notFoundPage = process.env.NODE_ENV === 'production' ? readNotFoundPage() : null
hardenHttp(notFoundPage)
setKeepAlive()
// DEV_HOSTS is also set in a preview, which is a production build with the seeded users.
if (process.env.NODE_ENV === 'development' || env.DEV_HOSTS.length > 0) rejectForeignHosts()

if (process.env.NODE_ENV === 'production') {
  // Imported only after checkEnv: these modules read settings when they load.
  const { log, redirectConsole } = await import('@/core/log')
  const { limitBodies } = await import('@/core/http/limit-bodies')
  const { exitOnUncaughtException } = await import('@/core/process/crash')
  const { findSeedUsers } = await import('@/core/process/find-seed-users')
  const { expectMigrations, findPendingMigrations } = await import('@/core/db/pending-migrations')
  const { connectRedis } = await import('@/core/limits/redis')

  limitBodies()
  await connectRedis()
  expectMigrations(/* turbopackIgnore: true */ process.cwd())
  // Says so in the log. A database outage must not prevent the start.
  await findPendingMigrations().catch(() => [])

  // Not an error: src/app/not-found.tsx may depend on the request. Its pages then need JavaScript.
  if (!notFoundPage) log.warn('the build has no static 404 page with a policy; see docs/decisions/0024')

  // A database outage must not prevent the start: readiness reports it, and it may recover.
  const seededUsers = await findSeedUsers().catch((error) => {
    log.warn({ error }, 'could not check for seeded users')
    return []
  })
  if (seededUsers.length > 0 && !env.ALLOW_SEEDED_PEOPLE) {
    exitWith(
      `The seeded users of development are in this database: ${seededUsers.join(', ')}. Delete them, or set ALLOW_SEEDED_PEOPLE=1 if this app is not publicly reachable.`,
    )
  }
  if (seededUsers.length > 0)
    log.warn({ count: seededUsers.length }, 'seeded users can sign in: ALLOW_SEEDED_PEOPLE is set')
  const scopeProvider = (await import('@/scope-provider')).findScopeProvider()
  if (scopeProvider) {
    const { pool } = await import('@/core/db/client')
    const { findWallProblem } = await import('@/core/db/scope-wall')
    const { tenantTables } = await import('@/tenant-tables')
    const problem = await findWallProblem(pool, tenantTables).catch((error) => {
      log.warn({ error }, 'could not check row-level security')
      return null
    })
    if (problem) exitWith(`Rows of ${scopeProvider.noun.many} are not kept apart: ${problem}. See docs/tenancy.md.`)
  }
  redirectConsole(log)
  exitOnUncaughtException()
}

if (env.METRICS_PORT) (await import('@/core/telemetry/observe-connections')).observeConnections()

const { log } = await import('@/core/log')
for (const { name, meant } of findMisspelledSettings(owners))
  log.warn({ name, meant }, 'not a setting; probably misspelled')

const { loadJobs } = await import('@/jobs')
const { acceptOnly } = await import('@/core/jobs/queue')
acceptOnly(await loadJobs())

let stopWorker = async () => {}

if (env.ADMIN_EMAIL || env.WORKER === 'inside') {
  const { ensureFirstAdmin } = await import('@/core/auth/user/first-admin')
  const { startAppWorker } = await import('@/worker')

  if (env.ADMIN_EMAIL) {
    await ensureFirstAdmin(env.ADMIN_EMAIL).catch((error) => log.warn({ error }, 'could not create the first admin'))
  }
  if (env.WORKER === 'inside') stopWorker = (await startAppWorker()).stop
}

if (process.env.NODE_ENV === 'production') {
  const { drainOnSignals } = await import('@/core/process/drain')
  drainOnSignals(stopWorker, flushTraces)
} else {
  // Next exits the process itself on these signals; another worker retries the jobs that are interrupted.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stopWorker)
}
