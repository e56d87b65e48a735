import { log } from './log'

/** How long what is under way may take, before the process ends all the same. */
const patience = 30_000

/**
 * Called once, when a process starts. After an exception that nobody caught, nobody knows what state it is in: it says so,
 * takes nothing new, finishes what is under way as when it is asked to stop, and ends as a failure, so that whoever looks
 * after it starts another. Next alone would write a line and go on for ever. A rejected promise that nobody waits for is
 * another matter: while a page is made that is common, what is thrown is lost and not half done, and a caller must not be
 * able to end a node with it. Next writes it down and goes on.
 */
export function endAfterCrash(): void {
  process.once('uncaughtException', (error) => {
    log.error({ error }, 'an exception that nobody caught: this process ends')
    process.once('exit', () => {
      process.exitCode = 1
    })
    setTimeout(() => process.exit(), patience).unref()
    process.kill(process.pid, 'SIGTERM')
  })
}
