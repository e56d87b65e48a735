// npm run test:budget: what our pages cost a visitor, against the page that create-next-app makes with the same version
// of Next, built in this same run. Then Lighthouse on both of ours. Needs a production build.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import config from '../../playwright.config.ts'
import { root } from '../../scripts/root.ts'
import { startApp } from '../support/app.ts'

const budgets = [
  { route: '/', ratio: 1.0 },
  { route: '/signin', ratio: 1.1 },
]
/** Bytes after gzip, for every page together: fonts are counted as they are. */
const assets = { font: 32_000, css: 12_000 }

const work = join(root, '.data', 'budget')
// Outside this project: Turbopack takes the topmost folder with a lockfile for the root.
const bare = join(mkdtempSync(join(tmpdir(), 'plinth-budget-')), 'bare')
const tools = join(work, 'tools')
const nextVersion = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies.next

function run(command: string, args: string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
    maxBuffer: 64 * 1024 * 1024,
    timeout: 300_000,
  })
}

/** Tools that only this script needs stay out of package.json: nobody who installs the app should pay for them. */
function installTools(): void {
  mkdirSync(tools, { recursive: true })
  const wanted = [`create-next-app@${nextVersion}`, 'lighthouse@13.5.0']
  const stamp = join(tools, 'installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted.join(' ')) return
  writeFileSync(join(tools, 'package.json'), '{}')
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...wanted], tools)
  writeFileSync(stamp, wanted.join(' '))
}

function buildBare(): void {
  const create = join(tools, 'node_modules', 'create-next-app', 'dist', 'index.js')
  const options = [
    '--ts',
    '--tailwind',
    '--app',
    '--src-dir',
    '--no-linter',
    '--no-react-compiler',
    '--import-alias',
    '@/*',
    '--use-npm',
  ]
  run(process.execPath, [create, bare, ...options, '--disable-git', '--yes'], dirname(bare))
  // Its fonts come from the network at build time; they weigh no JavaScript, so they can go.
  const layout = join(bare, 'src', 'app', 'layout.tsx')
  const source = readFileSync(layout, 'utf8')
    .replace(/import \{[^}]*\} from "next\/font\/google";\n/, '')
    .replace(/const geist\w* = Geist\w*\(\{[\s\S]*?\}\);\n/gi, '')
    .replace(/className=\{`[^`]*`\}/g, '')
  if (/font|geist/i.test(source)) throw new Error(`create-next-app changed its layout; mend this script:\n${source}`)
  writeFileSync(layout, source)
  run(process.execPath, [join(bare, 'node_modules', 'next', 'dist', 'bin', 'next'), 'build'], bare)
}

/** Next lists the chunks that a page loads first; their size is what gzip makes of them. */
function firstLoad(app: string, route: string): number {
  const stats: { route: string; firstLoadChunkPaths: string[] }[] = JSON.parse(
    readFileSync(join(app, '.next', 'diagnostics', 'route-bundle-stats.json'), 'utf8'),
  )
  const entry = stats.find((candidate) => candidate.route === route)
  if (!entry) throw new Error(`${route} is not in the build of ${app}`)
  return entry.firstLoadChunkPaths.reduce((sum, path) => sum + gzipSync(readFileSync(join(app, path))).length, 0)
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
const failures: string[] = []
function judge(what: string, isWithin: boolean): void {
  console.log(`${isWithin ? 'ok  ' : 'FAIL'} ${what}`)
  if (!isWithin) failures.push(what)
}

function judgeWeight(): void {
  const reference = firstLoad(bare, '/')
  console.log(`     create-next-app ${nextVersion}: ${kilobytes(reference)} of JavaScript`)
  for (const { route, ratio } of budgets) {
    const size = firstLoad(root, route)
    const actual = size / reference
    judge(
      `${route}: ${kilobytes(size)} of JavaScript, ${actual.toFixed(3)} of it (at most ${ratio.toFixed(2)})`,
      actual <= ratio,
    )
  }
  const size = (pattern: string, compress: boolean) =>
    globSync(pattern, { cwd: join(root, '.next', 'static') })
      .map((file) => readFileSync(join(root, '.next', 'static', file)))
      .reduce((sum, content) => sum + (compress ? gzipSync(content) : content).length, 0)
  const font = size('media/*.woff2', false)
  const css = size('chunks/**/*.css', true)
  judge(`fonts: ${kilobytes(font)} (at most ${kilobytes(assets.font)})`, font > 0 && font <= assets.font)
  judge(`styles: ${kilobytes(css)} (at most ${kilobytes(assets.css)})`, css > 0 && css <= assets.css)
}

interface Report {
  categories: Record<string, { title: string; score: number | null }>
  audits: Record<string, { numericValue?: number; displayValue?: string; score: number | null }>
}

function lighthouse(url: string): Report {
  const { executablePath, args = [] } = config.use?.launchOptions ?? {}
  if (executablePath) process.env.CHROME_PATH = executablePath
  const flags = ['--preset=desktop', '--output=json', '--quiet', '--disable-full-page-screenshot']
  const categories = '--only-categories=performance,accessibility,best-practices,seo'
  const program = join(tools, 'node_modules', 'lighthouse', 'cli', 'index.js')
  return JSON.parse(
    run(
      process.execPath,
      [program, url, ...flags, categories, `--chrome-flags=--headless=new ${args.join(' ')}`],
      work,
    ),
  )
}

/**
 * Other work on the machine can only lower a score or spoil a run: the best of a few tries is the page's own. A page
 * that does not deserve the score never gets it.
 */
function bestOf(tries: number, url: string): Report | undefined {
  const total = (report: Report) => Object.values(report.categories).reduce((sum, { score }) => sum + (score ?? 0), 0)
  let best: Report | undefined
  for (let index = 0; index < tries; index++) {
    try {
      const report = lighthouse(url)
      if (!best || total(report) > total(best)) best = report
      if (total(best) === 4) break
    } catch {
      console.log('     Lighthouse could not record this load; once more')
    }
  }
  return best
}

async function judgeLighthouse(): Promise<void> {
  const { app, stop } = await startApp()
  try {
    for (const { route } of budgets) {
      const report = bestOf(5, app.url + route)
      if (!report) {
        judge(`${route}: Lighthouse ran`, false)
        continue
      }
      for (const { title, score } of Object.values(report.categories)) {
        judge(`${route}: Lighthouse ${title} ${Math.round((score ?? 0) * 100)}`, score === 1)
      }
      const shift = report.audits['cumulative-layout-shift']?.numericValue
      judge(`${route}: layout shift ${shift}`, shift === 0)
      const metrics = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'speed-index']
      console.log(`     ${metrics.map((name) => `${name} ${report.audits[name]?.displayValue}`).join(', ')}`)
    }
  } finally {
    await stop()
  }
}

installTools()
buildBare()
judgeWeight()
rmSync(dirname(bare), { recursive: true })
await judgeLighthouse()
if (failures.length > 0) {
  console.error(`\n${failures.length} over budget`)
  process.exit(1)
}
