// npm run worker: works on jobs and mails until it is stopped. Run it beside nodes that have WORKER=apart.
import { prepareDatabase } from './environment.ts'
import { importSource } from './source.ts'

const database = await prepareDatabase()
const [{ checkEnv, coreEnv }, { modules }] = await importSource('src/core/env.ts', 'src/modules.ts')
const problems = checkEnv([coreEnv, ...modules.flatMap((module: { env?: unknown }) => module.env ?? [])])
if (problems) {
  console.error(problems)
  process.exit(1)
}
const [{ startTelemetry }] = await importSource('src/core/telemetry/start.ts')
const sendTraces = await startTelemetry()
const [{ startAppWorker }, { endAfterCrash }] = await importSource('src/worker.ts', 'src/core/crash.ts')
endAfterCrash()
const worker = await startAppWorker()

let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    // Once more: at once. What is under way is taken up again by another worker.
    if (isStopping) process.exit(1)
    isStopping = true
    await worker.stop()
    await sendTraces()
    await database.stop()
    process.exit(0)
  })
}
