import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Runs src/modules.test.ts first: it is fast, and mistakes break its rules most often. */
class RulesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isRules = ({ moduleId }: TestSpecification) => moduleId.endsWith('src/modules.test.ts')
    return (await super.sort(files)).toSorted((a, b) => Number(isRules(b)) - Number(isRules(a)))
  }
}

export default defineConfig({
  resolve: {
    alias: {
      '@': join(import.meta.dirname, 'src'),
      // server-only throws outside a server bundle, so tests use its empty variant.
      'server-only': join(import.meta.dirname, 'node_modules/server-only/empty.js'),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'cli/**/*.test.ts'],
    globalSetup: 'tests/app/support/unit-setup.ts',
    setupFiles: 'tests/app/support/unit-database.ts',
    // Only to end a test that hangs: the machine may be busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    tags: [
      {
        name: 'full',
        description: 'Depends on elapsed time, samples races or starts programs: not in the run for every change.',
        timeout: 240_000,
      },
    ],
    // Threads start faster than processes, and import faster.
    pool: 'threads',
    // By default one core stays unused, which is half of a small machine.
    maxWorkers: '100%',
    // next-auth imports parts of Next by specifiers that Node alone does not resolve.
    server: { deps: { inline: ['next-auth'] } },
    // As one file, which is imported in 50 ms instead of 800: every test file imports everything anew.
    deps: {
      optimizer: {
        ssr: {
          enabled: true,
          include: ['drizzle-orm', 'drizzle-orm/pg-core', 'drizzle-orm/node-postgres'],
        },
      },
    },
    sequence: { sequencer: RulesFirst },
    // In CI, stop at the first failure.
    bail: process.env.CI ? 1 : 0,
  },
})
