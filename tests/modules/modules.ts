// npm run test:modules: every selection of modules, as create-plinth makes an app with it. Each must pass the types;
// with none, with all and with all but one it must also pass lint, find nothing unused, build, start and answer: addresses of what is
// absent are 404 and nothing in the build names it. The module that docs/modules.md has people write is made from the page
// itself and stands beside all the others, so the page stays true.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeSnapshot } from '../../cli/make-snapshot.ts'
import { render } from '../../cli/src/render.ts'
import { writeTree } from '../../cli/src/versions.ts'
import { installCli } from '../support/cli.ts'
import { makeWorkFolder, runScript } from '../support/copy.ts'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'
import { startServer } from '../support/server.ts'

const snapshot = makeSnapshot()
const names = snapshot.modules.map(({ name }) => name)
const { folder, remove } = makeWorkFolder()
const apps = join(folder, 'src', 'app')
let failures = 0
let passes = 0

/** From none to all: each selection there is. */
const selections = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((__, index) => bits & (1 << index)),
)
/** Everything but one, or nothing: the selections that are built as well. */
const isBuilt = ({ length }: string[]) => length === 0 || length >= names.length - 1
/**
 * Tests of other modules, or of core, may have counted on a table of the one that is left out. Without any, on all of them;
 * with QUICK only that is tried, for modules know nothing of each other.
 */
const mayMiss = (modules: string[]) =>
  (modules.length === 0 || !process.env.QUICK) &&
  snapshot.modules.some(({ name, tables }) => tables.length > 0 && !modules.includes(name))
/** "-- account,admin none": with all of them, and those two selections. */
const wanted = process.argv.slice(2).map((text) => (text === 'none' ? '' : text.split(',').toSorted().join()))
const isWanted = (modules: string[]) =>
  wanted.length === 0 || modules.length === names.length || wanted.includes(modules.toSorted().join())
const inWords = (modules: string[]) => (modules.length > 0 ? `with ${modules.join(', ')}` : 'without any')

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
    const file = join(apps, '(notes)', name.replace('src/app/(notes)/', ''))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  writeFileSync(join(apps, '(notes)', 'README.md'), '# Notes\n')
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
  // A folder, and not what a function is given: "(content)" is in many programs.
  const named = new RegExp(`(?<=["'/\\\\_])${module.replace('(', '\\(').replace(')', '\\)')}(?=["'/\\\\_])`)
  const needles = [
    module.replace('(', '%28').replace(')', '%29'),
    Buffer.from(module).toString('base64').replace(/=+$/, ''),
  ]
  // An address, and not a part of another or of a file's name: "/account" is not in "https://accounts.example.com", and
  // "/content" not in "./content".
  const own = addresses
    .filter((address) => address !== '/')
    .map((address) => new RegExp(`(?<=["'\`\\s>=^(])${address}(?![\\w-])`))
  const isIn = (text: string) =>
    named.test(text) || needles.some((needle) => text.includes(needle)) || own.some((address) => address.test(text))
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

/** The app with these modules, in the place of the one before. */
function put(modules: string[]): void {
  for (const name of readdirSync(folder)) if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true })
  writeTree(render(snapshot, { name: 'shop', modules }), folder)
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
}

async function probe(work: (get: (path: string) => Promise<Response>) => Promise<void>): Promise<void> {
  const server = await findServer()
  const database = await createDatabase(server.url)
  runDb('migrate', database.url, undefined, folder)
  const app = await startServer(
    'start',
    { DATABASE_URL: database.url, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' },
    { folder },
  )
  try {
    await work((path) => fetch(app.url + path, { redirect: 'manual' }))
  } finally {
    await app.stop()
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
}

/** Core, and the title of each module that has a route. */
const ownersIn = (app: string) => [
  'Core',
  ...readdirSync(join(app, 'src', 'app'))
    .filter(
      (name) => name.startsWith('(') && globSync('**/route.ts', { cwd: join(app, 'src', 'app', name) }).length > 0,
    )
    .map((name): string => JSON.parse(readFileSync(join(app, 'src', 'app', name, 'module.json'), 'utf8')).title),
]
const isSame = (one: string[], other: string[]) => one.toSorted().join() === other.toSorted().join()

/** Filled in when the app with all modules was built. */
const addressesOfEach = new Map<string, string[]>()

async function tryIt(modules: string[]): Promise<void> {
  const when = inWords(modules)
  const isAll = modules.length === names.length
  put(modules)
  if (isAll) writeModuleFromDocs()
  script('typecheck', when)
  if (!isBuilt(modules)) return
  script('lint', when)
  script('unused', when)
  if (mayMiss(modules)) script('test', when)
  script('build', when)
  if (isAll) for (const name of [...names, 'notes']) addressesOfEach.set(name, addressesOf(`(${name})`))
  script('test:contract', when)
  await probe(async (get) => {
    for (const [name, addresses] of addressesOfEach) {
      const isThere = modules.includes(name) || (isAll && name === 'notes')
      for (const address of addresses.filter((one) => one !== '/')) {
        const { status } = await get(address)
        judge(
          `${when}: ${address} ${isThere ? 'answers' : 'is 404'}`,
          isThere ? ![404, 500].includes(status) : status === 404,
        )
      }
      const traces = tracesOf(`(${name})`, addresses)
      if (isThere) judge(`${when}: the search for traces finds ${name}`, traces.length > 0)
      else judge(`${when}: nothing in the build names ${name}`, traces.length === 0, traces.join('\n'))
    }
    if (modules.includes('docs')) {
      const { tags } = (await (await get('/api/openapi.json')).json()) as { tags: { name: string }[] }
      const described = tags.map(({ name }) => name).sort()
      judge(`${when}: the document has the calls of these modules and no other`, isSame(described, ownersIn(folder)))
    }
    const start = await get('/')
    if (!modules.includes('landing'))
      judge(`${when}: / shows the start screen`, start.status === 200 && (await start.text()).includes('It runs'))
    judge(`${when}: / has its policy`, start.headers.get('content-security-policy')?.includes('sha256-') ?? false)
  })
}

try {
  installCli(folder)
  // All of them first: that tells which addresses belong to whom.
  for (const modules of selections.filter(isWanted).toReversed()) await tryIt(modules)
} finally {
  remove()
}
console.log(`${selections.filter(isWanted).length} selections; ${passes} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
