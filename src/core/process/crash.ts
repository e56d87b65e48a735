import { log } from '../log'

/** Milliseconds for requests in flight to finish before the process exits anyway. */
const drainTimeoutMs = 30_000

/**
 * Called once, when a process starts. After an uncaught exception the state of the process is unknown: it logs the error,
 * drains as on SIGTERM and exits with code 1, so that the process manager restarts it. Next alone would log a line and keep
 * running. Unhandled rejections do not end the process: they are common while a page renders, and otherwise a caller could
 * take a node down. Next logs them.
 */
export function exitOnUncaughtException(): void {
  process.once('uncaughtException', (error) => {
    log.error({ error }, 'uncaught exception, shutting down')
    process.once('exit', () => {
      process.exitCode = 1
    })
    setTimeout(() => process.exit(), drainTimeoutMs).unref()
    process.kill(process.pid, 'SIGTERM')
  })
}
