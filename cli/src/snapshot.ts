import { CliError } from './cli-error.ts'

/** The content of a module.json. */
export interface ModuleManifest {
  name: string
  title: string
  description: string
  requires: string[]
  npm: string[]
  env: string[]
  tables: string[]
}

/** A file of core whose path or exports have changed. */
export interface ImportRename {
  from: string
  to: string
  /** New names of exports, by the old ones. */
  exports: Record<string, string>
  /** If only some exports have moved. */
  only?: string[]
}

/** A version, as CHANGELOG.md describes it. */
export interface Release {
  version: string
  /** What its users have to do, in paragraphs. */
  breaking: string
  imports: ImportRename[]
}

/** The whole template at one version, as `pack.ts` wrote it. */
export interface Snapshot {
  version: string
  modules: ModuleManifest[]
  /** Packages that only the template needs, not an app. Keeps its name: `upgrade` reads the snapshots of released versions. */
  workshop: string[]
  /** Where the name of the template occurs: the text to replace by itself, or by another, with the name of the app. */
  titleIn: { file: string; text: string; by?: string }[]
  /** This version and the earlier ones, newest first. */
  releases: Release[]
  files: Record<string, { text: string } | { base64: string }>
}

/** The suites that prove the template, as `pack.ts` wrote them. */
export type Verification = Pick<Snapshot, 'version' | 'files'>

/** The state of an app, stored in its `plinth.json`. */
export interface State {
  name: string
  version: string
  modules: string[]
  /** The slug of an app from before `src/brand.ts`, which keeps its cookies. Other apps derive theirs from the name. */
  slug?: string
}

export type Tree = Map<string, Buffer>

export const stateFile = 'plinth.json'

/** Formatted as Biome would. */
export const writeState = ({ name, version, modules, slug }: State): string =>
  [
    '{',
    `  "name": ${JSON.stringify(name)},`,
    `  "version": ${JSON.stringify(version)},`,
    ...(slug ? [`  "slug": ${JSON.stringify(slug)},`] : []),
    `  "modules": [${modules.map((module) => JSON.stringify(module)).join(', ')}]`,
    '}',
    '',
  ].join('\n')

export const isName = (text: unknown): text is string =>
  typeof text === 'string' && /^[a-z][a-z0-9._-]{0,99}$/.test(text)

const isSlug = (text: unknown): text is string => typeof text === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(text)

/** Accepts only an exact version, because it is passed to npm, which would also accept a URL and run its code. */
export const isVersion = (text: unknown): text is string =>
  typeof text === 'string' && /^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$/.test(text)

export function readState(text: string): State {
  const { name, version, modules, slug } = parse(text)
  if (!isName(name) || !isVersion(version) || !Array.isArray(modules) || !modules.every(isName))
    throw new CliError(`${stateFile} must have a name, an exact version and a list of modules.`)
  if (slug !== undefined && !isSlug(slug))
    throw new CliError(`"slug" in ${stateFile} must be lowercase letters, digits and hyphens.`)
  return { name, version, modules, ...(slug !== undefined && { slug }) }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    throw new CliError(`${stateFile} isn’t valid JSON.`)
  }
}
