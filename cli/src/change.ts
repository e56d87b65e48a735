import { type App, assertSameVersion } from './app.ts'
import { CliError } from './cli-error.ts'
import { formatLike } from './format.ts'
import { isSameContent } from './line-endings.ts'
import { dropMigration, dropMigrationPath, isDropMigration } from './module-data.ts'
import { assertReady } from './operation.ts'
import { bold, formatList, type Output } from './output.ts'
import { detectPackageManager, hasNpmLockfile, install, lockfilesOf, type PackageManager } from './package-manager.ts'
import { isNewer, migrateOwnFiles, printBreaking } from './releases.ts'
import { render, withRequired } from './render.ts'
import type { Snapshot, State, Tree } from './snapshot.ts'
import {
  type AppliedChange,
  amendWith,
  applyPlan,
  continueOperation,
  finish,
  type Plan,
  preview,
} from './transition.ts'
import { renderAtAppVersion } from './versions.ts'

export interface ChangeOptions {
  isDryRun: boolean
  isInstalled: boolean
  manager: PackageManager | undefined
}

/** The exit code of the process: 0 done, 1 rejected or failed, 2 stopped at conflicts. */
export type ExitCode = 0 | 1 | 2

export function add(snapshot: Snapshot, app: App, names: string[], options: ChangeOptions, output: Output): ExitCode {
  assertReady(app.repository)
  assertSameVersion(snapshot, app)
  if (names.length === 0) throw new CliError('Specify a module: npx plinth add account (see "npx plinth list")')
  const modules = withRequired(snapshot, [...app.state.modules, ...names])
  const newModules = modules.filter((name) => !app.state.modules.includes(name))
  if (newModules.length === 0) throw new CliError(`Already installed: ${names.join(', ')}.`)
  const existingModules = new Set(
    app.repository.pathsAt('HEAD').flatMap((path) => /^src\/app\/\((.+?)\)\//.exec(path)?.[1] ?? []),
  )
  const conflicting = newModules.filter((name) => existingModules.has(name))
  if (conflicting.length > 0)
    throw new CliError(
      `You already have your own folder src/app/(${conflicting[0]}). Rename it and the "name" in its module.json first.`,
    )
  const base = render(snapshot, app.state)
  const next = render(snapshot, { ...app.state, modules })
  // Deletes a pending migration that would drop its data. If it was already applied, the module's own migrations create the
  // tables again.
  const drops = app.repository.pathsAt('HEAD').filter((path) => newModules.some((name) => isDropMigration(path, name)))
  for (const [path, bytes] of app.repository.readAt('HEAD', drops)) if (bytes) base.set(path, bytes)
  const plan: Plan = {
    what: `add ${newModules.join(' ')}`,
    message: `Add ${newModules.join(', ')}`,
    base,
    next,
    nextSteps: ['Next, run "npm run db:migrate" or "npm run dev", which also applies migrations.'],
  }
  return change(snapshot, app, plan, options, output)
}

export interface RemoveOptions extends ChangeOptions {
  isForced: boolean
  isDataDropped: boolean
}

export function remove(
  snapshot: Snapshot,
  app: App,
  names: string[],
  options: RemoveOptions,
  output: Output,
): ExitCode {
  assertReady(app.repository)
  assertSameVersion(snapshot, app)
  if (names.length === 0) throw new CliError('Specify a module: npx plinth remove account (see "npx plinth list")')
  const notInstalled = names.filter((name) => !app.state.modules.includes(name))
  if (notInstalled.length > 0)
    throw new CliError(
      `Not installed: ${notInstalled.join(', ')}. Installed modules: ${app.state.modules.join(', ') || 'none'}.`,
    )
  const modules = app.state.modules.filter((name) => !names.includes(name))
  const dependents = snapshot.modules.filter(
    ({ name, requires }) => modules.includes(name) && requires.some((required) => names.includes(required)),
  )
  if (dependents.length > 0)
    throw new CliError(
      `Required by ${dependents.map(({ name }) => name).join(', ')}. Remove them together: npx plinth remove ${[...names, ...dependents.map(({ name }) => name)].join(' ')}`,
    )

  const base = render(snapshot, app.state)
  const importing = importsOf(app, names)
  if (importing.length > 0)
    throw new CliError(
      `Your code imports this module:\n${formatList(importing).join('\n')}\nRemove these imports first.`,
    )
  const userFiles = userFilesIn(app, names, base)
  if (userFiles.length > 0 && !options.isForced)
    throw new CliError(
      `You changed these files in the module:\n${formatList(userFiles).join('\n')}\nUse --force to delete them with the module. They stay in the git history.`,
    )
  const next = render(snapshot, { ...app.state, modules })
  const removedModules = snapshot.modules.filter(({ name }) => names.includes(name))
  const tables = removedModules.flatMap((module) => module.tables)
  if (options.isDataDropped)
    for (const module of removedModules)
      next.set(dropMigrationPath(module.name, new Date()), Buffer.from(dropMigration(module, base)))
  // The user's own files in the module are in neither tree, so git would keep them. Add them to the base, so that they are
  // deleted.
  if (options.isForced)
    for (const [path, bytes] of app.repository.readAt('HEAD', userFiles)) if (bytes) base.set(path, bytes)
  const dataMessage = options.isDataDropped
    ? 'Its tables will be dropped by the next "npm run db:migrate". Review the migration first.'
    : `Its tables and their data stay: ${tables.join(', ')}. "add" uses them again. To drop them, undo this and remove it with --drop-data.`
  const nextSteps = [
    ...(tables.length > 0 ? [dataMessage] : []),
    'Run "npm run typecheck" to find links to its pages in your code.',
  ]
  const plan = { what: `remove ${names.join(' ')}`, message: `Remove ${names.join(', ')}`, base, next, nextSteps }
  return change(snapshot, app, plan, options, output)
}

/** The imports of these modules, such as "src/app/shop/page.tsx:3". */
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

/** Files in the modules' folders that the user has changed or added. */
function userFilesIn({ repository }: App, names: string[], pristine: Tree): string[] {
  const paths = repository.pathsAt('HEAD').filter((path) => names.some((name) => path.startsWith(`src/app/(${name})/`)))
  const here = repository.readAt('HEAD', paths)
  const [formatted] = formatLike(repository, pristine, pristine)
  return paths.filter((path) => !isSameContent(here.get(path), formatted.get(path)))
}

export function upgrade(snapshot: Snapshot, app: App, options: ChangeOptions, output: Output): ExitCode {
  const { repository, state, folder } = app
  assertReady(repository)
  if (state.version === snapshot.version) {
    output.print(`This app is already at version ${state.version}.`)
    output.result({ version: state.version, changed: [], conflicts: [] })
    return 0
  }
  if (isNewer(state.version, snapshot.version))
    throw new CliError(`This app is at version ${state.version}, which is newer than ${snapshot.version}.`)
  const known = snapshot.modules.map(({ name }) => name)
  const unknownModules = state.modules.filter((name) => !known.includes(name))
  if (unknownModules.length > 0)
    throw new CliError(
      `Version ${snapshot.version} has no module ${unknownModules.join(', ')}. Remove the module first, or take it out of plinth.json to keep it as your own.`,
    )
  const base = renderAtAppVersion(snapshot, state, folder)
  const nextState: State = {
    ...state,
    version: snapshot.version,
    modules: withRequired(snapshot, state.modules),
    // Before src/brand.ts, cookies and the like of all apps had this name: another one would sign all users out.
    ...(!base.has('src/brand.ts') && { slug: 'plinth' }),
  }
  const plan: Plan = {
    what: `upgrade --to ${snapshot.version}`,
    message: `Upgrade Plinth from ${state.version} to ${snapshot.version}`,
    base,
    next: render(snapshot, nextState),
    nextSteps: ['Next, run "npm run format", "npm run check" and "npm run db:migrate".'],
  }
  printBreaking(snapshot, state.version, output)
  return change(snapshot, app, plan, options, output)
}

/** Applies a plan to the app. All commands that change an app go through here. */
function change(snapshot: Snapshot, app: App, plan: Plan, options: ChangeOptions, output: Output): ExitCode {
  const { repository } = app
  if (options.isDryRun) {
    const outcome = preview(repository, plan)
    output.print(`Would change ${outcome.changed.length} files:`, ...formatList(outcome.changed, 40))
    if (outcome.conflicts.length > 0) output.print('Conflicts in:', ...formatList(outcome.conflicts, 40))
    output.result({ what: plan.what, isDryRun: true, ...outcome })
    return 0
  }
  const outcome = applyPlan(repository, plan)
  const { conflicts } = outcome
  if (conflicts.length > 0) {
    output.print(
      'Stopped at conflicts. You and Plinth changed the same lines in:',
      ...formatList(conflicts, 40),
      'Resolve the conflicts, then run "npx plinth continue". To undo everything, run "npx plinth abort".',
    )
    output.result({ what: plan.what, changed: [], conflicts })
    return 2
  }
  return finishChange(snapshot, app, outcome, options, output)
}

export function resume(snapshot: Snapshot, app: App, options: ChangeOptions, output: Output): ExitCode {
  return finishChange(snapshot, app, continueOperation(app.repository), options, output)
}

/** Adds the lockfile to the commit, and deletes the data that `abort` would need. */
function finishChange(
  snapshot: Snapshot,
  { folder, repository }: App,
  outcome: AppliedChange,
  options: ChangeOptions,
  output: Output,
): ExitCode {
  const { what, hasNewPackages, nextSteps, changed, conflicts, commit } = outcome
  const top = repository.run('rev-parse', '--show-toplevel')
  const manager = options.manager ?? detectPackageManager(folder, top)
  const isInstalling = hasNewPackages && options.isInstalled
  if (isInstalling) output.print(`Installing packages with ${manager}…`)
  const resolved = isInstalling ? install(folder, manager) : null
  const isInstalled = resolved !== null
  const isAmended = isInstalled && amendWith(repository, outcome, lockfilesOf(manager, folder, top))
  const own = migrateOwnFiles(snapshot, repository, isAmended ? repository.commitAt('HEAD') : commit)
  const isLastCommit = isAmended || own !== null || repository.commitAt('HEAD') === commit
  finish(repository)
  output.print(`${bold(what)}: done. Changed ${changed.length} files in 1 commit.`)
  const isOwnUncommitted = typeof own?.commitError === 'string'
  if (own && own.changed.length > 0)
    output.print(
      `Names that have changed were replaced in your own files, ${isOwnUncommitted ? 'for you to commit' : 'in another commit'}:`,
      ...formatList(own.changed),
    )
  if (isOwnUncommitted) output.print(`git couldn’t commit these files: ${own.commitError}`)
  if (own && own.todo.length > 0) output.print('Left for you to do:', ...formatList(own.todo, 40))
  if (hasNewPackages && !isInstalled)
    output.print(`Packages changed. Run "${manager} install" and commit the lockfile.`)
  if (hasNewPackages && !hasNpmLockfile(folder))
    output.print(
      `${manager} resolves indirect dependencies anew. Plinth is tested with the versions in its npm lockfile.`,
    )
  if (resolved && resolved.length > 0)
    output.print('npm resolved packages that the lockfile didn’t have:', ...formatList(resolved))
  if (isInstalled && !isAmended) output.print('Packages installed. Commit the lockfile if git tracks it.')
  // Without the stash, the changes of files that git could not commit would stay.
  const reset = isOwnUncommitted ? 'git stash && git reset' : 'git reset'
  const undo = isLastCommit
    ? `${reset} --keep HEAD~${own?.changed.length && !isOwnUncommitted ? 2 : 1}`
    : `git revert ${commit.slice(0, 10)}`
  output.print(...nextSteps, `To undo: ${undo}`)
  output.result({ what, changed, conflicts, isInstalled, undo, ...(own && { own: own.changed, todo: own.todo }) })
  return (isInstalling && !isInstalled) || isOwnUncommitted ? 1 : 0
}
