import fc from 'fast-check'
import { afterAll, inject } from 'vitest'
import { createDatabase } from './database.ts'

// Sets the environment before a test file imports anything that connects to the database.
const database = await createDatabase(inject('server'), inject('template'))
process.env.DATABASE_URL = database.url
process.env.AUTH_SECRET = 'only-for-tests-0123456789-abcdefghijkl'
process.env.AUTH_URL = 'http://localhost:3000'
process.env.LOG_LEVEL ??= 'silent'
// A slow moment of this machine must not fail a test. Tests of timeouts set it to 1 with `vi.stubEnv`.
process.env.TIMEOUT_FACTOR = '10'
// Off by default: nothing that organizations have would be tested.
process.env.CONTENT_PER_ORGANIZATION = 'on'

// CI sets it, so that a change does not fail because of an older bug. FC_SEED repeats a run.
if (process.env.FC_SEED) fc.configureGlobal({ seed: Number(process.env.FC_SEED) })

afterAll(async () => {
  // Read from globalThis, because importing the client here would open a pool in every test file.
  await (globalThis as { plinthPool?: { end(): Promise<void> } }).plinthPool?.end()
})
