import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from './cli-error.ts'
import { Repository } from './git.ts'
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
    throw new CliError(`There is no ${stateFile} here. Run this in the folder of an app created with create-plinth.`)
  const repository = new Repository(folder)
  const state = repository.readAt('HEAD', [stateFile]).get(stateFile)
  if (!state) throw new CliError(`${stateFile} isn’t committed. Commit the app first: git add -A && git commit`)
  return { folder, repository, state: readState(state.toString()) }
}

/** Commands that change modules need the version of the app: another version would also upgrade the app. */
export function assertSameVersion(snapshot: Snapshot, { state }: App): void {
  if (state.version !== snapshot.version)
    throw new CliError(
      `This app is at version ${state.version}, but this is create-plinth ${snapshot.version}. Upgrade first with "npx plinth upgrade", or use npx create-plinth@${state.version}.`,
    )
}
