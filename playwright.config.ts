import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

// Debian's Chromium, or the one named in CHROMIUM_PATH; otherwise the browser Playwright has installed. Without windows first:
// the same engine for two thirds of the processor.
const chromium = [process.env.CHROMIUM_PATH, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
  (path) => path && existsSync(path),
)

// What is measured by the clock comes last, one at a time; "--no-deps" runs it without the others before it.
const byTheClock = ['crowd', 'database-restart', 'sign-in-limits'].map((name) => `tests/e2e/${name}.e2e.ts`)

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testMatch: ['tests/e2e/**/*.e2e.ts', 'src/**/*.e2e.ts'], testIgnore: byTheClock },
    { name: 'by the clock', testMatch: byTheClock, dependencies: ['journeys'], workers: 1 },
  ],
  globalSetup: './tests/support/journey-setup.ts',
  outputDir: '.data/journeys',
  // Three browsers, an app and a development server share the machine: patience, not a judgement of speed.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  fullyParallel: true,
  workers: 3,
  // A change does not fail for one slow moment of a machine that is not ours; the report names what needed it as flaky.
  retries: process.env.CI ? 1 : 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    // Tracing everything costs a third of the time, and is looked at only when something failed.
    trace: 'on-first-retry',
    launchOptions: {
      ...(chromium && { executablePath: chromium }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
