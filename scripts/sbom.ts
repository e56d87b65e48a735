// npm run sbom: what the app is made of, as CycloneDX, from the lockfile. The same lockfile gives the same text: npm's own
// number and time of day are left out.
import { spawnSync } from 'node:child_process'
import { root } from './root.ts'

interface Bill {
  serialNumber?: string
  metadata: { timestamp?: string; tools?: unknown }
  components: { 'bom-ref': string }[]
}

const { status, stdout, stderr } = spawnSync(
  'npm',
  ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--silent'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' },
)
if (status !== 0) {
  console.error(stderr || 'npm could not read the lockfile.')
  process.exit(1)
}
const { serialNumber, ...bill } = JSON.parse(stdout) as Bill
const { timestamp, tools, ...metadata } = bill.metadata
const components = bill.components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
console.log(JSON.stringify({ ...bill, metadata, components }, null, 2))
