// npm run test:faults [-- H-299 …]: the checks of the security suite about faults in the environment of the app. Starts every
// server it needs in temporary folders, on free ports.

import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Group, runSuite } from '../security/support/suite.ts'

showUsage('npm run test:faults [-- <number> …]')

const groups: Group[] = [
  { name: 'faults', title: 'Faults', from: 'H-289', to: 'H-320', hasShippedTimeouts: true },
  { name: 'images', title: 'Images under load', from: 'H-393', to: 'H-395', hasShippedTimeouts: true },
  { name: 'import', title: 'Import of users', from: 'H-396', to: 'H-397', hasShippedTimeouts: true },
  { name: 'scopes', title: 'Scopes behind a pooler', from: 'H-399', to: 'H-400', hasShippedTimeouts: true },
]

await runSuite(groups, [import.meta.dirname], process.argv.slice(2))
