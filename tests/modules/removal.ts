// npm run test:modules: takes each module out of a copy of the project by deleting its folder and nothing else. The rest
// must still pass its checks, build and run; the module's addresses answer 404; nothing in the build names it. When every
// folder is back in its place, everything must be as before. The module that docs/modules.md has people write is made from the
// page itself and stands beside the others all the while, so the page stays true.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { makeWorkCopy, runScript } from '../support/copy.ts'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'
import { startServer } from '../support/server.ts'

const { folder, remove } = makeWorkCopy()
const apps = join(folder, 'src', 'app')
const fromDocs = '(notes)'
writeModuleFromDocs()
const modules = readdirSync(apps).filter((name) => name.startsWith('('))
let failures = 0
let passes = 0

function judge(what: string, isRight: boolean, detail = ''): void {
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${what}`)
  if (isRight) passes++
  else {
    failures++
    if (detail) console.log(detail.slice(-3000))
  }
}

function script(name: string, when: string): void {
  const { isOk, output } = runScript(folder, name)
  judge(`${when}: npm run ${name}`, isOk, output)
}

const routes = (): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, '.next', 'app-path-routes-manifest.json'), 'utf8'))

/** Each step of the page names a file and shows it. */
function writeModuleFromDocs(): void {
  const page = readFileSync(join(folder, 'docs', 'modules.md'), 'utf8')
  const steps = [...page.matchAll(/^\*\*\d+\. [\s\S]*?`([\w./()-]+\.(?:json|tsx?))`[\s\S]*?```\w+\n([\s\S]*?)```/gm)]
  if (steps.length !== 9) throw new Error(`docs/modules.md shows ${steps.length} files, not 9`)
  for (const [, name = '', content = ''] of steps) {
    const file = join(apps, fromDocs, name.replace(`src/app/${fromDocs}/`, ''))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  writeFileSync(join(apps, fromDocs, 'README.md'), '# Notes\n')
  execFileSync('npm', ['run', 'db:generate', '--', 'notes', 'init'], { cwd: folder, stdio: 'ignore' })
  execFileSync('npm', ['run', 'format'], { cwd: folder, stdio: 'ignore' })
}

/** Addresses that exist only because of this module. */
function addressesOf(module: string): string[] {
  return Object.entries(routes())
    .filter(([file, address]) => file.startsWith(`/${module}/`) && !address.includes('['))
    .map(([, address]) => address)
}

/** Files of the build that name the module: by its folder in any of the ways Next writes it, or by an address of its own. */
function tracesOf(module: string, addresses: string[]): string[] {
  const needles = [
    module,
    encodeURIComponent(module),
    module.replace('(', '%28').replace(')', '%29'),
    Buffer.from(module).toString('base64').replace(/=+$/, ''),
  ]
  // An address, and not the beginning of another: "/account" is not in "https://accounts.example.com".
  const own = addresses.filter((address) => address !== '/').map((address) => new RegExp(`${address}(?![\\w-])`))
  const isIn = (text: string) =>
    needles.some((needle) => text.includes(needle)) || own.some((address) => address.test(text))
  return globSync('.next/**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/.next/cache/'))
    .filter((file) => isIn(file) || isIn(file.endsWith('.map') ? ownText(file) : readFileSync(file, 'latin1')))
}

interface SourceMap {
  sources?: string[]
  sourcesContent?: (string | null)[]
  sections?: { map: SourceMap }[]
}

/** What a source map says of the app: every name, and the text of all but packages, whose examples may name anything. */
function ownText(file: string): string {
  const read = ({ sources = [], sourcesContent = [], sections = [] }: SourceMap): string[] => [
    ...sources,
    ...sourcesContent.filter((_, index) => !sources[index]?.includes('node_modules')).map((text) => text ?? ''),
    ...sections.flatMap(({ map }) => read(map)),
  ]
  return read(JSON.parse(readFileSync(file, 'utf8'))).join('\n')
}

async function probe(work: (get: (path: string) => Promise<Response>) => Promise<void>): Promise<void> {
  const app = await startServer(
    'start',
    { DATABASE_URL: database.url, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' },
    { folder },
  )
  try {
    await work((path) => fetch(app.url + path, { redirect: 'manual' }))
  } finally {
    await app.stop()
  }
}

const server = await findServer()
const database = await createDatabase(server.url)
runDb('migrate', database.url, undefined, folder)
try {
  script('build', 'with every module')
  const before = routes()
  const addressesOfEach = new Map(modules.map((module) => [module, addressesOf(module)]))
  for (const [module, addresses] of addressesOfEach) {
    // Without this one it is the project as it came, which passes all of this before.
    if (module === fromDocs) continue
    const away = join(tmpdir(), `${basename(folder)}-${module}`)
    execFileSync('cp', ['-a', join(apps, module), away])
    execFileSync('rm', ['-rf', join(apps, module), join(folder, '.next')])

    script('check', `without ${module}`)
    script('build', `without ${module}`)
    await probe(async (get) => {
      for (const address of addresses) {
        const response = await get(address)
        if (address !== '/') judge(`without ${module}: ${address} is 404`, response.status === 404)
      }
      const start = await get('/')
      const text = await start.text()
      if (addresses.includes('/'))
        judge(`without ${module}: / shows the start screen`, start.status === 200 && text.includes('It runs'))
      judge(
        `without ${module}: / has its policy`,
        start.headers.get('content-security-policy')?.includes('sha256-') ?? false,
      )
    })
    const traces = tracesOf(module, addresses)
    judge(`without ${module}: nothing in the build names it`, traces.length === 0, traces.join('\n'))

    renameSync(away, join(apps, module))
  }

  execFileSync('rm', ['-rf', join(folder, '.next')])
  script('build', 'with each of them again')
  judge('with each of them again: the same routes as before', JSON.stringify(routes()) === JSON.stringify(before))
  await probe(async (get) => {
    for (const [module, addresses] of addressesOfEach) {
      for (const address of addresses)
        judge(`with ${module} again: ${address} answers`, ![404, 500].includes((await get(address)).status))
      judge(`with ${module} again: the search for traces finds it`, tracesOf(module, addresses).length > 0)
    }
  })
} finally {
  await dropDatabase(server.url, database.name)
  await server.stop()
  remove()
}
console.log(`${passes} passed, ${failures} failed in ${dirname(folder)}`)
process.exit(failures > 0 ? 1 : 0)
