import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Repository } from './git.ts'
import { Refusal } from './refusal.ts'
import { readState, type Snapshot, type State, stateFile } from './snapshot.ts'

/** The app in this folder, as it was last committed. */
export interface App {
  folder: string
  repository: Repository
  state: State
}

export const isApp = (folder: string) => existsSync(join(folder, stateFile))

export function openApp(folder: string): App {
  if (!isApp(folder))
    throw new Refusal(`There is no ${stateFile} here. Go to the folder of an app that create-plinth made.`)
  const repository = new Repository(folder)
  const state = repository.readAt('HEAD', [stateFile]).get(stateFile)
  if (!state) throw new Refusal(`${stateFile} is not committed. Commit the app first: git add -A && git commit`)
  return { folder, repository, state: readState(state.toString()) }
}

/** Commands that change modules speak of the version that the app has: another one would upgrade it on the way. */
export function refuseOtherVersion(snapshot: Snapshot, { state }: App): void {
  if (state.version !== snapshot.version)
    throw new Refusal(
      `This app is at ${state.version}, and this is create-plinth ${snapshot.version}. Upgrade first ("npx create-plinth upgrade"), or use npx create-plinth@${state.version}.`,
    )
}
