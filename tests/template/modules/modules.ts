// npm run test:modules: creates an app with every selection of modules, as create-plinth does. Each must type-check. With
// none, all, and all but one module it must also pass lint and knip, build and start; paths of an absent module must be 404,
// no page that an admin sees may link there or show a part of it, and nothing in the build may mention it. The example module of
// docs/modules.md and the provider, the role and the field of docs/recipes.md are generated from those pages and tested
// together with all modules, so that the pages stay correct. With --short it only type-checks and lints the apps with all
// modules and without any.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, globSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeSnapshot } from '../../../cli/make-snapshot.ts'
import { render } from '../../../cli/src/render.ts'
import { writeTree } from '../../../cli/src/versions.ts'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { createDatabase, dropDatabase, findServer, runDb } from '../../app/support/database.ts'
import { query } from '../../app/support/query.ts'
import { startServer } from '../../app/support/server.ts'
import { installCli } from '../support/cli.ts'
import { makeWorkFolder, runScript } from '../support/project-copy.ts'
import {
  addField,
  addProvider,
  addRole,
  allowRole,
  describeSettings,
  stepsIn,
  writeSource,
} from '../support/recipes.ts'
import { followLinks } from './linked-pages.ts'
import { findRenderedParts, insertEvents } from './rendered-parts.ts'
import { renameApp, searchServed } from './served-name.ts'

showUsage('npm run test:modules [-- --short | none | <module>,<module> …]')

const snapshot = makeSnapshot()
const names = snapshot.modules.map(({ name }) => name)
const { folder, remove } = makeWorkFolder()
let failures = 0
let passes = 0

const isShort = process.argv.includes('--short')
/** Every subset of the modules. */
const selections = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((__, index) => bits & (1 << index)),
)
/** Selections that are also built: none, all, and all but one. */
const isBuilt = ({ length }: string[]) => length === 0 || length >= names.length - 1
/** Whether to run the unit tests: tests of core or of another module may depend on a table of an absent module. */
const mayMiss = (modules: string[]) =>
  snapshot.modules.some(({ name, tables }) => tables.length > 0 && !modules.includes(name))
/** `-- account,admin none` limits the run to all modules and those two selections. */
const wanted = (isShort ? ['none'] : process.argv.slice(2)).map((text) =>
  text === 'none' ? '' : text.split(',').toSorted().join(),
)
const isWanted = (modules: string[]) =>
  wanted.length === 0 || modules.length === names.length || wanted.includes(modules.toSorted().join())
const describeSelection = (modules: string[]) => (modules.length > 0 ? `with ${modules.join(', ')}` : 'without any')

function check(what: string, isRight: boolean, detail = ''): void {
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${what}`)
  if (isRight) passes++
  else {
    failures++
    if (detail) console.log(detail.slice(-3000))
  }
}

function script(name: string, when: string): string {
  const start = performance.now()
  const { isOk, output } = runScript(folder, name)
  const seconds = (performance.now() - start) / 1000
  check(`${when}: npm run ${name} [${seconds.toFixed(1)} s]`, isOk, output)
  return output
}

const routes = (): Record<string, string> =>
  JSON.parse(readFileSync(join(folder, '.next', 'app-path-routes-manifest.json'), 'utf8'))

/** Writes the example module of docs/modules.md. */
function writeModuleFromDocs(): void {
  const steps = stepsIn(readFileSync(join(folder, 'docs', 'modules.md'), 'utf8'))
  if (steps.length !== 10) throw new Error(`docs/modules.md shows ${steps.length} files, not 10`)
  for (const { name, content } of steps)
    writeSource(folder, `src/app/(notes)/${name.replace('src/app/(notes)/', '')}`, content)
  writeSource(folder, 'src/app/(notes)/README.md', '# Notes\n')
  execFileSync('npm', ['run', 'db:generate', '--', 'notes', 'init'], { cwd: folder, stdio: 'ignore' })
}

/** Paths that exist only with this module. */
function pathsOf(module: string): string[] {
  return Object.entries(routes())
    .filter(([file, path]) => file.startsWith(`/${module}/`) && !path.includes('['))
    .map(([, path]) => path)
}

/**
 * Build files that mention the module: its folder, in any encoding that Next uses, or one of its paths. A path of a module that
 * is there may be below one of them, such as "/admin/organizations".
 */
function tracesOf(module: string, paths: string[], present: string[]): string[] {
  // Match a folder name, not a function argument: "(content)" is in many scripts.
  const named = new RegExp(`(?<=["'/\\\\_])${module.replace('(', '\\(').replace(')', '\\)')}(?=["'/\\\\_])`)
  const needles = [
    module.replace('(', '%28').replace(')', '%29'),
    Buffer.from(module).toString('base64').replace(/=+$/, ''),
  ]
  // Match a whole path, not a part of another URL or file name: "/account" must not match "https://accounts.example.com", nor
  // "/content" match "./content".
  const own = paths
    .filter((path) => path !== '/')
    .map((path) => {
      const others = present.filter((one) => one.startsWith(`${path}/`)).map((one) => one.slice(path.length))
      return new RegExp(`(?<=["'\`\\s>=^(])${path}(?![\\w-]${others.map((rest) => `|${rest}(?![\\w-])`).join('')})`)
    })
  const isIn = (text: string) =>
    named.test(text) || needles.some((needle) => text.includes(needle)) || own.some((path) => path.test(text))
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

/** All file names of a source map, and the app's sources. Sources of packages may mention any path, so they are skipped. */
function ownText(file: string): string {
  const read = ({ sources = [], sourcesContent = [], sections = [] }: SourceMap): string[] => [
    ...sources,
    ...sourcesContent.filter((_, index) => !sources[index]?.includes('node_modules')).map((text) => text ?? ''),
    ...sections.flatMap(({ map }) => read(map)),
  ]
  return read(JSON.parse(readFileSync(file, 'utf8'))).join('\n')
}

/** Replaces the app in the work folder by one with these modules. */
function createApp(modules: string[]): void {
  for (const name of readdirSync(folder)) if (name !== 'node_modules') rmSync(join(folder, name), { recursive: true })
  writeTree(render(snapshot, { name: 'shop', modules }), folder)
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
}

interface RunningApp {
  get(path: string): Promise<Response>
  getAsAdmin(path: string): Promise<Response>
  adminId: string
}

/** Inserts an admin with a session. */
async function createAdmin(databaseUrl: string): Promise<{ id: string; cookie: string }> {
  const token = randomBytes(32).toString('base64url')
  const [session] = await query<{ id: string }>(
    `with new_user as (
       insert into users (email, name, role, email_verified_at) values ('ada@example.com', 'Ada', 'admin', now()) returning id)
     insert into sessions (user_id, token_hash) select id, $1 from new_user returning user_id as id`,
    [createHash('sha256').update(token).digest()],
    databaseUrl,
  )
  const [, slug] = /appSlug = '([^']+)'/.exec(readFileSync(join(folder, 'src', 'brand.ts'), 'utf8')) ?? []
  return { id: session?.id ?? '', cookie: `${slug}.session=${token}` }
}

async function withRunningApp(work: (running: RunningApp) => Promise<void>): Promise<void> {
  const server = await findServer()
  const database = await createDatabase(server.url)
  runDb('migrate', database.url, undefined, folder)
  const app = await startServer(
    'start',
    { DATABASE_URL: database.url, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' },
    { folder },
  )
  try {
    const { id: adminId, cookie } = await createAdmin(database.url)
    await query(insertEvents, [], database.url)
    const get = (path: string, headers = {}) => fetch(app.url + path, { redirect: 'manual', headers })
    await work({ get: (path) => get(path), getAsAdmin: (path) => get(path, { cookie }), adminId })
  } finally {
    await app.stop()
    await dropDatabase(server.url, database.name)
    await server.stop()
  }
}

/** The tags of the OpenAPI document: Core, and the title of each module that has a route. */
const ownersIn = (app: string) => [
  'Core',
  ...readdirSync(join(app, 'src', 'app'))
    .filter(
      (name) => name.startsWith('(') && globSync('**/route.ts', { cwd: join(app, 'src', 'app', name) }).length > 0,
    )
    .map((name): string => JSON.parse(readFileSync(join(app, 'src', 'app', name, 'module.json'), 'utf8')).title),
]
const isSame = (one: string[], other: string[]) => one.toSorted().join() === other.toSorted().join()

const modulesWithNavigation = new Set([
  'notes',
  ...names.filter((name) => {
    const file = join(root, 'src', 'app', `(${name})`, 'ui.tsx')
    return existsSync(file) && readFileSync(file, 'utf8').includes('navigation: [')
  }),
])

/** Paths by module, filled in after the app with all modules was built. */
const pathsByModule = new Map<string, string[]>()

async function testSelection(modules: string[]): Promise<void> {
  const when = describeSelection(modules)
  const isAll = modules.length === names.length
  createApp(modules)
  if (isAll) {
    writeModuleFromDocs()
    describeSettings(folder, addProvider(folder))
    addField(folder)
    addRole(folder)
    allowRole(folder)
    renameApp(folder)
    execFileSync('npm', ['run', 'format'], { cwd: folder, stdio: 'ignore' })
  }
  script('typecheck', when)
  if (!isBuilt(modules)) return
  script('lint', when)
  if (isShort) return
  script('unused', when)
  if (mayMiss(modules)) script('test', when)
  script('build', when)
  if (isAll) for (const name of [...names, 'notes']) pathsByModule.set(name, pathsOf(`(${name})`))
  script('test:contract', when)
  // Nobody, the three roles, and the one of the recipe.
  if (isAll) check(`${when}: the matrix has five callers`, script('test:matrix', when).includes(', 5 callers each'))
  await withRunningApp(async ({ get, getAsAdmin, adminId }) => {
    const { reached, dead } = await followLinks(getAsAdmin, ['/dashboard', '/search', '/'])
    check(`${when}: no link of a page that an admin sees is dead`, dead.length === 0, dead.join('\n'))
    for (const { module, what, page, isShown } of await findRenderedParts(getAsAdmin, adminId)) {
      const isThere = modules.includes(module)
      check(`${when}: ${page} shows ${isThere ? 'the' : 'no'} ${what} of ${module}`, isShown === isThere)
    }
    for (const [name, paths] of pathsByModule) {
      const isThere = modules.includes(name) || (isAll && name === 'notes')
      for (const path of paths.filter((one) => one !== '/')) {
        const { status } = await get(path)
        check(
          `${when}: ${path} ${isThere ? 'responds' : 'is 404'}`,
          isThere ? ![404, 500].includes(status) : status === 404,
        )
      }
      const present = modules.flatMap((module) => (module === name ? [] : (pathsByModule.get(module) ?? [])))
      const traces = tracesOf(`(${name})`, paths, present)
      if (modulesWithNavigation.has(name))
        check(
          `${when}: ${isThere ? 'links lead' : 'no link leads'} to ${name}`,
          reached.some((path) => paths.includes(path)) === isThere,
        )
      if (isThere) check(`${when}: the search for traces finds ${name}`, traces.length > 0)
      else check(`${when}: nothing in the build mentions ${name}`, traces.length === 0, traces.join('\n'))
    }
    if (isAll) {
      const paths = Object.values(routes()).filter((path) => !path.includes('[') && !path.includes('('))
      const asGuest = await searchServed(get, [...paths, '/not-there', '/api/not-there'])
      const asAdmin = await searchServed(getAsAdmin, reached)
      const leftovers = [...asGuest.leftovers, ...asAdmin.leftovers]
      check(
        `${when}: nothing that is served has the name of the template`,
        leftovers.length === 0,
        leftovers.join('\n'),
      )
      check(`${when}: pages have the new name`, asGuest.isRenamed && asAdmin.isRenamed)
    }
    if (modules.includes('docs')) {
      const { tags } = (await (await get('/api/openapi.json')).json()) as { tags: { name: string }[] }
      const described = tags.map(({ name }) => name).sort()
      check(
        `${when}: the OpenAPI document has exactly the operations of these modules`,
        isSame(described, ownersIn(folder)),
      )
    }
    const start = await get('/')
    if (!modules.includes('landing'))
      check(
        `${when}: / shows the start page`,
        start.status === 200 && (await start.text()).includes('Your app is running'),
      )
    check(`${when}: / has its CSP`, start.headers.get('content-security-policy')?.includes('sha256-') ?? false)
  })
}

try {
  installCli(folder)
  // All modules first, because that build tells which path belongs to which module.
  for (const modules of selections.filter(isWanted).toReversed()) await testSelection(modules)
} finally {
  remove()
}
console.log(`${selections.filter(isWanted).length} selections; ${passes} passed, ${failures} failed`)
process.exit(failures > 0 ? 1 : 0)
