import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: {
      '@': join(import.meta.dirname, 'src'),
      // It only stops bundlers from putting server code into a browser; here it would stop everything.
      'server-only': join(import.meta.dirname, 'node_modules/server-only/empty.js'),
    },
  },
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts'],
    globalSetup: 'tests/support/unit-setup.ts',
    setupFiles: 'tests/support/unit-database.ts',
    testTimeout: 15_000,
  },
})
