import { type App, refuseOtherVersion } from './app.ts'
import { formatLike } from './format.ts'
import { dropMigration, dropMigrationPath, isDropMigration } from './module-data.ts'
import { install, lockfilesOf, type PackageManager, packageManagerOf } from './package-manager.ts'
import { Refusal } from './refusal.ts'
import { render, withRequired } from './render.ts'
import { listOf, strong, type Voice } from './say.ts'
import type { Snapshot, State, Tree } from './snapshot.ts'
import { amendWith, carryOut, type Done, finish, type Plan, preview, proceed, refuseUnlessReady } from './transition.ts'
import { renderAtItsVersion } from './versions.ts'

export interface ChangeOptions {
  isDryRun: boolean
  isInstalled: boolean
  manager: PackageManager | undefined
}

/** How it ended, for whoever called: done, refused or failed, or stopped at conflicts. */
export type ExitCode = 0 | 1 | 2

export function add(snapshot: Snapshot, app: App, names: string[], options: ChangeOptions, voice: Voice): ExitCode {
  refuseUnlessReady(app.repository)
  refuseOtherVersion(snapshot, app)
  if (names.length === 0)
    throw new Refusal('Say which module: npx create-plinth add account. "npx create-plinth list" shows all.')
  const modules = withRequired(snapshot, [...app.state.modules, ...names])
  const fresh = modules.filter((name) => !app.state.modules.includes(name))
  if (fresh.length === 0) throw new Refusal(`${names.join(', ')}: there already.`)
  const there = new Set(
    app.repository.pathsAt('HEAD').flatMap((path) => /^src\/app\/\((.+?)\)\//.exec(path)?.[1] ?? []),
  )
  const taken = fresh.filter((name) => there.has(name))
  if (taken.length > 0)
    throw new Refusal(
      `There is a folder src/app/(${taken[0]}) of your own. Rename it first, with what "name" says in its module.json.`,
    )
  const base = render(snapshot, app.state)
  const next = render(snapshot, { ...app.state, modules })
  // What would drop its data goes. Where that was done already, the module's own migrations make the tables anew.
  const drops = app.repository.pathsAt('HEAD').filter((path) => fresh.some((name) => isDropMigration(path, name)))
  for (const [path, bytes] of app.repository.readAt('HEAD', drops)) if (bytes) base.set(path, bytes)
  const plan = { what: `add ${fresh.join(' ')}`, message: `Add ${fresh.join(', ')}`, base, next }
  return change(app, plan, options, voice, ['Then "npm run db:migrate"; "npm run dev" does it by itself.'])
}

export interface RemoveOptions extends ChangeOptions {
  isForced: boolean
  isDataDropped: boolean
}

export function remove(snapshot: Snapshot, app: App, names: string[], options: RemoveOptions, voice: Voice): ExitCode {
  refuseUnlessReady(app.repository)
  refuseOtherVersion(snapshot, app)
  if (names.length === 0) throw new Refusal('Say which module: npx create-plinth remove account.')
  const absent = names.filter((name) => !app.state.modules.includes(name))
  if (absent.length > 0)
    throw new Refusal(`${absent.join(', ')}: not there. There are: ${app.state.modules.join(', ') || 'none'}.`)
  const modules = app.state.modules.filter((name) => !names.includes(name))
  const needed = snapshot.modules.filter(
    ({ name, requires }) => modules.includes(name) && requires.some((required) => names.includes(required)),
  )
  if (needed.length > 0)
    throw new Refusal(
      `${needed.map(({ name }) => name).join(', ')} cannot be without it. Remove both: npx create-plinth remove ${[...names, ...needed.map(({ name }) => name)].join(' ')}`,
    )

  const base = render(snapshot, app.state)
  const importing = importsOf(app, names)
  if (importing.length > 0)
    throw new Refusal(`Your code imports it:\n${listOf(importing).join('\n')}\nTake that out first.`)
  const edited = editsIn(app, names, base)
  if (edited.length > 0 && !options.isForced)
    throw new Refusal(
      `These files of it are your work, and would go with it:\n${listOf(edited).join('\n')}\nWith --force they go; git keeps them in its history.`,
    )
  const next = render(snapshot, { ...app.state, modules })
  const facts = snapshot.modules.filter(({ name }) => names.includes(name))
  const tables = facts.flatMap((module) => module.tables)
  if (options.isDataDropped)
    for (const module of facts)
      next.set(dropMigrationPath(module.name, new Date()), Buffer.from(dropMigration(module, base)))
  // Their own work in the module is in neither tree, and would stay: what goes has to be in the first one.
  if (options.isForced)
    for (const [path, bytes] of app.repository.readAt('HEAD', edited)) if (bytes) base.set(path, bytes)
  const aboutData = options.isDataDropped
    ? 'Its data goes with the next "npm run db:migrate". Read the migration before.'
    : `Its tables stay, with their data (${tables.join(', ')}); "add" finds them again. --drop-data would write a migration that drops them.`
  const done = [
    ...(tables.length > 0 ? [aboutData] : []),
    'If pages of yours lead to its pages, "npm run typecheck" names them.',
  ]
  const plan = { what: `remove ${names.join(' ')}`, message: `Remove ${names.join(', ')}`, base, next }
  return change(app, plan, options, voice, done)
}

/** As in "src/app/shop/page.tsx:3". */
function importsOf({ repository }: App, names: string[]): string[] {
  const isOfModule = (path: string) => names.some((name) => path.startsWith(`src/app/(${name})/`))
  const paths = repository
    .pathsAt('HEAD')
    .filter((path) => /\.(ts|tsx|js|jsx|mjs|cjs|mdx)$/.test(path) && !isOfModule(path))
  const imports = new RegExp(`(from|import|require)\\b[^'"\`]*['"\`][^'"\`]*\\((${names.join('|')})\\)/`)
  return [...repository.readAt('HEAD', paths)].flatMap(([path, bytes]) =>
    (bytes?.toString() ?? '')
      .split('\n')
      .flatMap((line, index) => (imports.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}

/** Files in the modules' folders that are not as they came, or did not come with them. */
function editsIn({ repository }: App, names: string[], pristine: Tree): string[] {
  const paths = repository.pathsAt('HEAD').filter((path) => names.some((name) => path.startsWith(`src/app/(${name})/`)))
  const plain = (bytes: Buffer | null | undefined) => bytes?.toString('latin1').replaceAll('\r\n', '\n')
  const here = repository.readAt('HEAD', paths)
  const [formatted] = formatLike(repository, pristine, pristine)
  return paths.filter((path) => plain(here.get(path)) !== plain(formatted.get(path)))
}

export function upgrade(snapshot: Snapshot, app: App, options: ChangeOptions, voice: Voice): ExitCode {
  const { repository, state, folder } = app
  refuseUnlessReady(repository)
  if (state.version === snapshot.version) {
    voice.say(`This app is at ${state.version} already.`)
    voice.result({ version: state.version, changed: [], conflicts: [] })
    return 0
  }
  if (isNewer(state.version, snapshot.version))
    throw new Refusal(`This app is at ${state.version}, which is newer than ${snapshot.version}.`)
  const known = snapshot.modules.map(({ name }) => name)
  const gone = state.modules.filter((name) => !known.includes(name))
  if (gone.length > 0)
    throw new Refusal(
      `${snapshot.version} has no module ${gone.join(', ')}. Remove it first, or make it your own: take it out of plinth.json.`,
    )
  const wanted: State = { ...state, version: snapshot.version, modules: withRequired(snapshot, state.modules) }
  const plan: Plan = {
    what: `upgrade --to ${snapshot.version}`,
    message: `Upgrade Plinth from ${state.version} to ${snapshot.version}`,
    base: renderAtItsVersion(snapshot, state, folder),
    next: render(snapshot, wanted),
  }
  return change(app, plan, options, voice, ['Then "npm run check", and "npm run db:migrate".'])
}

/** Whether one version comes after another. */
export function isNewer(one: string, other: string): boolean {
  const parts = (version: string) => version.split(/[.-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : -1))
  const [a, b] = [parts(one), parts(other)]
  for (let index = 0; index < 3; index++) if (a[index] !== b[index]) return (a[index] ?? 0) > (b[index] ?? 0)
  return b.length > 3 && a.length === 3
}

/** The one way in which an app changes. */
function change(app: App, plan: Plan, options: ChangeOptions, voice: Voice, done: string[]): ExitCode {
  const { repository } = app
  if (options.isDryRun) {
    const outcome = preview(repository, plan)
    voice.say(`Would change ${outcome.changed.length} files:`, ...listOf(outcome.changed, 40))
    if (outcome.conflicts.length > 0) voice.say('With conflicts in:', ...listOf(outcome.conflicts, 40))
    voice.result({ what: plan.what, isDryRun: true, ...outcome })
    return 0
  }
  const outcome = carryOut(repository, plan)
  const { conflicts } = outcome
  if (conflicts.length > 0) {
    voice.say(
      'Stopped: you and Plinth both changed the same places in',
      ...listOf(conflicts, 40),
      'Solve them as any conflict of git, then "npx create-plinth continue". To have everything as before: "npx create-plinth abort".',
    )
    voice.result({ what: plan.what, changed: [], conflicts })
    return 2
  }
  return conclude(app, outcome, options, voice, done)
}

export function resume(app: App, options: ChangeOptions, voice: Voice): ExitCode {
  return conclude(app, proceed(app.repository), options, voice, [])
}

/** The lockfile joins the commit, and the way back is let go. */
function conclude(
  { folder, repository }: App,
  outcome: Done,
  options: ChangeOptions,
  voice: Voice,
  done: string[],
): ExitCode {
  const { what, hasNewPackages, changed, conflicts, commit } = outcome
  const top = repository.run('rev-parse', '--show-toplevel')
  const manager = options.manager ?? packageManagerOf(folder, top)
  const isInstalling = hasNewPackages && options.isInstalled
  if (isInstalling) voice.say(`Installing packages with ${manager} …`)
  const isInstalled = isInstalling && install(folder, manager)
  const isAmended = isInstalled && amendWith(repository, outcome, lockfilesOf(manager, folder, top))
  const isLast = isAmended || repository.commitAt('HEAD') === commit
  finish(repository)
  voice.say(`${strong(what)}: done, ${changed.length} files, in one commit.`)
  if (hasNewPackages && !isInstalled) voice.say(`Packages changed: run "${manager} install", and commit the lockfile.`)
  if (isInstalled && !isAmended) voice.say('Packages were installed. Commit the lockfile, if git keeps it.')
  const undo = isLast ? 'git reset --keep HEAD~1' : `git revert ${commit.slice(0, 10)}`
  voice.say(...done, `To undo: ${undo}`)
  voice.result({ what, changed, conflicts, isInstalled, undo })
  return isInstalling && !isInstalled ? 1 : 0
}
