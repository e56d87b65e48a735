import { Refusal } from './refusal.ts'

/** What a module says of itself in its module.json. */
export interface ModuleFacts {
  name: string
  title: string
  description: string
  requires: string[]
  npm: string[]
  env: string[]
  tables: string[]
}

/** All of the template at one version, as `pack.ts` wrote it. */
export interface Snapshot {
  version: string
  modules: ModuleFacts[]
  /** Packages that no app needs. */
  workshop: string[]
  /** Where the app's name stands: the text that is there, which the app's title takes the place of. */
  titleIn: { file: string; text: string }[]
  files: Record<string, { text: string } | { base64: string }>
}

/** All that is remembered about an app; it is its `plinth.json`. */
export interface State {
  name: string
  version: string
  modules: string[]
}

export type Tree = Map<string, Buffer>

export const stateFile = 'plinth.json'

/** As a formatter would have it. */
export const writeState = ({ name, version, modules }: State): string =>
  [
    '{',
    `  "name": ${JSON.stringify(name)},`,
    `  "version": ${JSON.stringify(version)},`,
    `  "modules": [${modules.map((module) => JSON.stringify(module)).join(', ')}]`,
    '}',
    '',
  ].join('\n')

export const isName = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z][a-z0-9._-]{0,99}$/.test(text)

/** An exact version and nothing else: it is handed to npm, which would also take an address, and run what is there. */
export const isVersion = (text: unknown): text is string =>
  typeof text === 'string' && /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(text)

export function readState(text: string): State {
  const { name, version, modules } = parse(text)
  if (!isName(name) || !isVersion(version) || !Array.isArray(modules) || !modules.every(isName))
    throw new Refusal(`${stateFile} must hold a name, an exact version and a list of modules.`)
  return { name, version, modules }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    throw new Refusal(`${stateFile} is not valid JSON.`)
  }
}
