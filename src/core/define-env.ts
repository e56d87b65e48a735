import type { z } from 'zod'

/** A setting: the schema of its value, and a hint on how to set it. */
export interface Setting {
  schema: z.ZodType
  /** Shown after "NAME is missing."; says what it is for and how to set it. */
  hint: string
  /** `production`: must be set there; in development it has a default or is optional. */
  required?: 'production'
}

export interface EnvProblem {
  owner: string
  name: string
  message: string
}

export interface Env {
  owner: string
  names: string[]
  problems(source: Source): EnvProblem[]
}

export type Source = Record<string, string | undefined>
type Values<Settings extends Record<string, Setting>> = {
  [Name in keyof Settings]: z.output<Settings[Name]['schema']>
}

/** Validates settings that depend on each other, such as id and secret of an OAuth client. */
export type Rule = (source: Source) => Omit<EnvProblem, 'owner'>[]

/**
 * Declares the settings of one owner (core or a module). Values are read on first use, so that a build needs no
 * environment; `checkEnv` validates all of them when the server starts.
 */
export function defineEnv<Settings extends Record<string, Setting>>(
  owner: string,
  settings: Settings,
  ...rules: Rule[]
): Env & { values: Values<Settings> } {
  const names = Object.keys(settings)
  const read = (name: string, source: Source) => {
    // An empty line in .env means "not set".
    const raw = source[name] === '' ? undefined : source[name]
    return { raw, result: settings[name]?.schema.safeParse(raw) }
  }

  const values = {} as Values<Settings>
  for (const name of names) {
    let cached: { raw: string | undefined; value: unknown } | undefined
    Object.defineProperty(values, name, {
      enumerable: true,
      get() {
        if (cached && cached.raw === process.env[name]) return cached.value
        const { result } = read(name, process.env)
        if (!result?.success) throw new Error(`${name} is missing or wrong. ${settings[name]?.hint}`)
        cached = { raw: process.env[name], value: result.data }
        return cached.value
      },
    })
  }

  const problems = (source: Source): EnvProblem[] => {
    const isProduction = source.NODE_ENV === 'production'
    const single = names.flatMap((name): EnvProblem[] => {
      const { raw, result } = read(name, source)
      const hint = settings[name]?.hint ?? ''
      if (raw === undefined) {
        const isMissing = isProduction && settings[name]?.required === 'production'
        return isMissing ? [{ owner, name, message: `is missing. ${hint}` }] : []
      }
      if (result?.success) return []
      return [{ owner, name, message: `${result?.error.issues[0]?.message ?? 'is wrong'}. ${hint}` }]
    })
    return [...single, ...rules.flatMap((rule) => rule(source).map((problem) => ({ owner, ...problem })))]
  }

  return { owner, names, problems, values }
}

export const isLoopback = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

export const isOrigin = (value: string) =>
  /^https?:\/\/[a-z0-9.:[\]-]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value

/** Whether the app is only reachable from this machine, or does not run in production. */
export function isLocal({ AUTH_URL = '', NODE_ENV }: Source): boolean {
  return NODE_ENV !== 'production' || !URL.canParse(AUTH_URL) || isLoopback(new URL(AUTH_URL).hostname)
}

export const bothOrNeither =
  (first: string, second: string, purpose: string): Rule =>
  (source) => {
    const [present, absent] = source[first] ? [first, second] : [second, first]
    if (!source[present] || source[absent]) return []
    return [{ name: absent, message: `is missing while ${present} is set. ${purpose} needs both, or neither` }]
  }

/** A stand-in provider can sign in as any user, so it is only allowed where AUTH_URL is on this machine. */
export const onlyLocal =
  (name: string): Rule =>
  (source) =>
    source[name] && !isLocal(source)
      ? [{ name, message: 'is for development. Remove it, because its server could sign in as any user' }]
      : []

/** The number of letters to add, remove, replace or swap to make one text the other. */
function distanceBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row++) {
    rows.push([row])
    for (let column = 1; column <= other.length; column++) {
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + Number(one[row - 1] !== other[column - 1]),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}

/**
 * Variables that are no settings, but look like one that is not set. Other programs have variables, too, so this is only a hint.
 */
export function findMisspelledSettings(owners: Env[], source: Source = process.env): { name: string; meant: string }[] {
  const known = owners.flatMap(({ names }) => names)
  const unset = known.filter((name) => !source[name])
  return Object.keys(source)
    .filter((name) => source[name] && /^[A-Z][A-Z0-9_]{4,}$/.test(name) && !known.includes(name))
    .flatMap((name) => {
      const meant = unset.find((setting) => distanceBetween(name, setting) <= (setting.length < 8 ? 1 : 2))
      return meant ? [{ name, meant }] : []
    })
}

/** All problems of all owners, as text; empty when the app may start. */
export function checkEnv(owners: Env[], source: Source = process.env): string {
  const problems = owners.flatMap((owner) => owner.problems(source))
  if (problems.length === 0) return ''
  const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`
  const lines = problems.map(({ owner, name, message }) => {
    const moduleSuffix = owner === 'core' ? '' : ` (module ${owner})`
    return `  ${name}${moduleSuffix}: ${message}`
  })
  return [
    `${count} missing or wrong, so the app does not start:`,
    '',
    ...lines,
    '',
    'Set them in the environment or in .env. .env.example explains each. "npm run doctor" checks them.',
  ].join('\n')
}
