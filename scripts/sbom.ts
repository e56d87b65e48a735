// npm run sbom: a CycloneDX SBOM from the lockfile. Reproducible: the serial number and timestamp of npm are left out.
import { spawnSync } from 'node:child_process'
import { root } from './root.ts'
import { showUsage } from './show-usage.mjs'

showUsage('npm run sbom')

interface Sbom {
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
  console.error(stderr || 'npm couldn’t read the lockfile.')
  process.exit(1)
}
const { serialNumber, ...sbom } = JSON.parse(stdout) as Sbom
const { timestamp, tools, ...metadata } = sbom.metadata
const components = sbom.components.toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
console.log(JSON.stringify({ ...sbom, metadata, components }, null, 2))
