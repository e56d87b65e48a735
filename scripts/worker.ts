// npm run worker: runs jobs and sends emails until it is stopped. For deployments whose nodes have WORKER=apart.
import { prepareDatabase } from './environment.ts'
import { importSource } from './import-source.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run worker')

const database = await prepareDatabase()
const [{ checkEnv, coreEnv }, { modules }] = await importSource('src/core/env.ts', 'src/modules.ts')
const problems = checkEnv([coreEnv, ...modules.flatMap((module: { env?: unknown }) => module.env ?? [])])
if (problems) {
  console.error(problems)
  process.exit(1)
}
const [{ startTelemetry }] = await importSource('src/core/telemetry/start.ts')
const flushTraces = await startTelemetry()
const [{ startAppWorker }, { exitOnUncaughtException }] = await importSource(
  'src/worker.ts',
  'src/core/process/crash.ts',
)
exitOnUncaughtException()
const worker = await startAppWorker()

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    // A second signal exits immediately. Another worker retries the jobs that are interrupted.
    if (isStopping) process.exit(1)
    isStopping = true
    await worker.stop()
    await flushTraces()
    await database.stop()
    process.exit(0)
  })
}
