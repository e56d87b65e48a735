import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The rules of the house first: they take a moment, and are what a mistake breaks most often. */
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
      // It only stops bundlers from putting server code into a browser; here it would stop everything.
      'server-only': join(import.meta.dirname, 'node_modules/server-only/empty.js'),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'cli/**/*.test.ts'],
    globalSetup: 'tests/support/unit-setup.ts',
    setupFiles: 'tests/support/unit-database.ts',
    testTimeout: 15_000,
    // It imports parts of Next by names that Node alone does not find.
    server: { deps: { inline: ['next-auth'] } },
    sequence: { sequencer: RulesFirst },
    // Where nobody watches, the first failure says enough.
    bail: process.env.CI ? 1 : 0,
  },
})
