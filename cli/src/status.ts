import type { App } from './app.ts'
import { formatLike } from './format.ts'
import { listOf, strong, type Voice } from './say.ts'
import type { Snapshot } from './snapshot.ts'
import { operationUnderWay } from './transition.ts'
import { renderAtItsVersion } from './versions.ts'

export function list(snapshot: Snapshot, installed: string[], voice: Voice): void {
  for (const { name, title, description } of snapshot.modules)
    voice.say(`${installed.includes(name) ? '*' : ' '} ${strong(name.padEnd(10))} ${title}: ${description}`)
  voice.say('', '* is in this app.')
  voice.result({
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

/** Where the app stands, and what of it is no longer as it came. */
export function status(snapshot: Snapshot, { folder, repository, state }: App, voice: Voice): void {
  const underWay = operationUnderWay(repository)
  const pristine = renderAtItsVersion(snapshot, state, folder)
  const [formatted] = formatLike(repository, pristine, pristine)
  const here = repository.readAt('HEAD', [...formatted.keys()])
  const plain = (bytes: Buffer | null | undefined) => bytes?.toString('latin1').replaceAll('\r\n', '\n')
  const ours = [...formatted.keys()].filter((path) => path !== 'package-lock.json')
  const deleted = ours.filter((path) => !here.get(path))
  const edited = ours.filter((path) => here.get(path) && plain(here.get(path)) !== plain(formatted.get(path)))
  voice.say(
    `${strong(state.name)}: Plinth ${state.version}, modules ${state.modules.join(', ') || 'none'}.`,
    ...(underWay
      ? [`"${underWay.what}" is under way: "npx create-plinth continue" or "npx create-plinth abort".`]
      : []),
    `${edited.length} of ${ours.length} files are not as they came${edited.length > 0 ? ':' : '.'}`,
    ...listOf(edited, 40),
    ...(deleted.length > 0 ? ['Deleted:', ...listOf(deleted, 40)] : []),
  )
  voice.result({ ...state, underWay: underWay?.what ?? null, edited, deleted })
}
