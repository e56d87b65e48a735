import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'

// CHROMIUM_PATH or Debian's Chromium, otherwise the browser that Playwright installed. The headless shell is preferred:
// it is the same engine and uses two thirds of the CPU.
const chromium = [process.env.CHROMIUM_PATH, '/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(
  (path) => path && existsSync(path),
)

// Timing-sensitive tests run last, one at a time; "--no-deps" runs them without the other tests first.
const timingTests = ['sign-in-load', 'database-restart', 'sign-in-limits'].map((name) => `tests/app/e2e/${name}.e2e.ts`)
// SMOKE=1 runs the tests with the tag @smoke: one for each thing that users do, without a development server.
const isSmoke = Boolean(process.env.SMOKE)
// A copy of the app may be there: "npx plinth verify" makes one.
const copies = join(import.meta.dirname, '.data', '**')

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'e2e', testMatch: ['tests/app/e2e/**/*.e2e.ts', 'src/**/*.e2e.ts'], testIgnore: [...timingTests, copies] },
    ...(isSmoke
      ? []
      : [{ name: 'timing', testMatch: timingTests, testIgnore: copies, dependencies: ['e2e'], workers: 1 }]),
  ],
  // A page that is broken makes many tests wait: a few failures are enough to say so.
  ...(isSmoke && { grep: /@smoke/, maxFailures: process.env.CI ? 3 : 0 }),
  globalSetup: './tests/app/support/e2e-setup.ts',
  outputDir: '.data/e2e',
  // Generous, because browsers, the app and a development server share the machine. Speed is not tested here.
  timeout: process.env.CI ? 300_000 : 120_000,
  expect: { timeout: process.env.CI ? 60_000 : 20_000 },
  fullyParallel: true,
  workers: isSmoke ? 2 : 3,
  // No retries: a flaky test points to a bug in the app or in the test.
  retries: 0,
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    // Clicks miss a menu that is still opening, and a color that is still changing has the contrast of neither theme.
    contextOptions: { reducedMotion: 'reduce' },
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
