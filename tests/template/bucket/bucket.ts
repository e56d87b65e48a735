// npm run test:bucket: runs the unit tests of everything that stores files against a real S3-compatible server.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { startSwift } from '../support/swift.ts'

showUsage('npm run test:bucket')

const tests = ['src/core/storage/', 'src/app/(content)/_images/', 'src/app/(account)/avatars.test.ts']

const start = performance.now()
const swift = await startSwift()
console.log(`Swift started in ${((performance.now() - start) / 1000).toFixed(1)} s`)
const env = {
  ...process.env,
  TEST_S3_URL: swift.url,
  TEST_S3_REGION: swift.region,
  TEST_S3_KEY: swift.key,
  TEST_S3_SECRET: swift.secret,
}
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests], { cwd: root, env, stdio: 'inherit' })
await swift.stop()
process.exit(status ?? 1)
