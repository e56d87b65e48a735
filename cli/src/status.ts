import type { App } from './app.ts'
import { formatLike } from './format.ts'
import { isSameContent } from './line-endings.ts'
import { currentOperation } from './operation.ts'
import { bold, formatList, type Output } from './output.ts'
import type { Snapshot } from './snapshot.ts'
import { renderAtAppVersion } from './versions.ts'

export function list(snapshot: Snapshot, installed: string[], output: Output): void {
  for (const { name, title, description } of snapshot.modules)
    output.print(`${installed.includes(name) ? '*' : ' '} ${bold(name.padEnd(10))} ${title}: ${description}`)
  output.print('', '* installed in this app')
  output.result({
    version: snapshot.version,
    modules: snapshot.modules.map(({ name, title, description, requires }) => ({
      name,
      title,
      description,
      requires,
      isInstalled: installed.includes(name),
    })),
  })
}

/** Prints version and modules of the app, and the files that the user has changed or deleted. */
export function status(snapshot: Snapshot, { folder, repository, state }: App, output: Output): void {
  const inProgress = currentOperation(repository)
  const pristine = renderAtAppVersion(snapshot, state, folder)
  const [formatted] = formatLike(repository, pristine, pristine)
  const appFiles = repository.readAt('HEAD', [...formatted.keys()])
  const templateFiles = [...formatted.keys()].filter((path) => path !== 'package-lock.json')
  const deleted = templateFiles.filter((path) => !appFiles.get(path))
  const edited = templateFiles.filter(
    (path) => appFiles.get(path) && !isSameContent(appFiles.get(path), formatted.get(path)),
  )
  output.print(
    `${bold(state.name)}: Plinth ${state.version}, modules ${state.modules.join(', ') || 'none'}.`,
    ...(inProgress
      ? [
          `"${inProgress.what}" is in progress. Run "npx plinth continue" to finish it or "npx plinth abort" to undo it.`,
        ]
      : []),
    `You changed ${edited.length} of ${templateFiles.length} files${edited.length > 0 ? ':' : '.'}`,
    ...formatList(edited, 40),
    ...(deleted.length > 0 ? ['You deleted:', ...formatList(deleted, 40)] : []),
  )
  output.result({ ...state, inProgress: inProgress?.what ?? null, edited, deleted })
}
