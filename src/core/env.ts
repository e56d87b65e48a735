import { deflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { normalizeEmail } from './auth/email'

/** A setting: how its value must look, and what to tell someone who has to make one. */
interface Setting {
  schema: z.ZodType
  /** Read in "NAME is missing: …"; says what it is for and how to make it. */
  hint: string
  /** `production`: must be set there; development has a default or does without. */
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

type Source = Record<string, string | undefined>
type Values<Settings extends Record<string, Setting>> = {
  [Name in keyof Settings]: z.output<Settings[Name]['schema']>
}

/** Settings that are only right together, such as the two halves of an OAuth client. */
type Rule = (source: Source) => Omit<EnvProblem, 'owner'>[]

/**
 * Declares the settings of one owner (core or a module). Values are read on first use, so importing costs
 * nothing and a build needs no environment; `checkEnv` looks at all of them when the server starts.
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
    let known: { raw: string | undefined; value: unknown } | undefined
    Object.defineProperty(values, name, {
      enumerable: true,
      get() {
        if (known && known.raw === process.env[name]) return known.value
        const { result } = read(name, process.env)
        if (!result?.success) throw new Error(`${name} is missing or wrong. ${settings[name]?.hint}`)
        known = { raw: process.env[name], value: result.data }
        return known.value
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

/** Every problem of every owner at once, in words; empty when the app may start. */
export function checkEnv(owners: Env[], source: Source = process.env): string {
  const problems = owners.flatMap((owner) => owner.problems(source))
  if (problems.length === 0) return ''
  const count = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`
  const lines = problems.map(({ owner, name, message }) => {
    const from = owner === 'core' ? '' : ` (module ${owner})`
    return `  ${name}${from}: ${message}`
  })
  return [
    `${count} missing or wrong, so the app does not start:`,
    '',
    ...lines,
    '',
    'Set them in the environment or in .env. .env.example explains each; "npm run doctor" checks them.',
  ].join('\n')
}

const isLoopback = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host)

const isOrigin = (value: string) =>
  /^https?:\/\/[a-z0-9.:[\]-]+$/.test(value) && URL.canParse(value) && new URL(value).origin === value

const fromAnExample =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this)|your[-_ ]|placeholder|example|super[-_ ]?secret|random ?bytes/i

/** What repeats itself, or only counts up, comes down to a few bytes when it is compressed; what is random does not. */
function isEasyToGuess(secret: string): boolean {
  const bytes = Buffer.from(secret)
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))
  return fromAnExample.test(secret) || [bytes, steps].some((text) => deflateRawSync(text, { level: 9 }).length < 22)
}

/** One, or several with commas between: what is made is made with the first, what was made with any is still good. */
const secrets = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()) as [string, ...string[]])
  .refine((all) => all.every((one) => Buffer.byteLength(one) >= 32), 'is shorter than 32 bytes')
  .refine((all) => !all.some(isEasyToGuess), 'is too easy to guess')

const wholeNumberIn = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `is not between ${least} and ${most}`)

const wholeNumber = (fallback: number, least: number, most: number) => wholeNumberIn(least, most).default(fallback)

const pair =
  (first: string, second: string, purpose: string): Rule =>
  (source) => {
    const [present, absent] = source[first] ? [first, second] : [second, first]
    if (!source[present] || source[absent]) return []
    return [{ name: absent, message: `is missing while ${present} is set. ${purpose} needs both, or neither` }]
  }

/** A stand-in for a provider can sign in anybody as anybody: never where others can reach the app. */
const onlyHere =
  (name: string): Rule =>
  (source) => {
    const origin = source.AUTH_URL ?? ''
    const isHere = !URL.canParse(origin) || isLoopback(new URL(origin).hostname)
    if (!source[name] || source.NODE_ENV !== 'production' || isHere) return []
    return [{ name, message: 'is for development. Take it out: it would let its server sign in anybody as anybody' }]
  }

const secretCommand = `node -p "require('node:crypto').randomBytes(33).toString('base64url')"`

const { values, ...core } = defineEnv(
  'core',
  {
    AUTH_SECRET: {
      schema: secrets,
      required: 'production',
      hint: `Signs what the app hands out. Several, with commas between, while one replaces another. Make one: ${secretCommand}`,
    },
    AUTH_URL: {
      schema: z
        .string()
        .refine(isOrigin, 'is not an origin')
        .refine((value) => {
          if (!URL.canParse(value)) return true
          const { protocol, hostname } = new URL(value)
          return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
        }, 'must be https, unless it is this machine itself')
        .prefault(() => `http://localhost:${process.env.PORT || 3000}`),
      required: 'production',
      hint: 'The origin people see, with no path: https://app.example.com. Redirects and links in mails are made from it',
    },
    DATABASE_URL: {
      schema: z.string().regex(/^postgres(ql)?:\/\//, 'is not a PostgreSQL URL'),
      required: 'production',
      hint: 'Where PostgreSQL is: postgres://user:password@host:5432/database. "npm run dev" brings one of its own when this is empty',
    },
    DATABASE_POOL_MAX: {
      schema: wholeNumber(10, 1, 500),
      hint: 'Connections that one node may hold',
    },
    DATABASE_POOLER: {
      schema: z.enum(['transaction'], 'can only be transaction').optional(),
      hint: 'For a pooler in transaction mode between the app and PostgreSQL: nothing is then left on a connection',
    },
    DATABASE_REPLICA_URL: {
      schema: z
        .string()
        .regex(/^postgres(ql)?:\/\//, 'is not a PostgreSQL URL')
        .optional(),
      hint: 'A copy of the database that lists are read from: they may be a moment old. Without it, or while it is away, DATABASE_URL',
    },
    LOG_LEVEL: {
      schema: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'], 'is none of debug, info, warn, error, silent')
        .default('info'),
      hint: 'The least important message that is still written',
    },
    METRICS_PORT: {
      schema: wholeNumberIn(1, 65_535).optional(),
      hint: 'A port at which Prometheus reads figures, apart from the one that people use',
    },
    METRICS_HOST: {
      schema: z.string().default('127.0.0.1'),
      hint: 'The address that METRICS_PORT is opened at: 0.0.0.0 where Prometheus runs on another machine',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      schema: z
        .string()
        .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'is not an address that begins with http')
        .optional(),
      hint: 'A collector that takes traces by OTLP over HTTP: http://collector:4318',
    },
    OTEL_EXPORTER_OTLP_HEADERS: {
      schema: z.string().optional(),
      hint: 'What the collector wants to see, such as a key: name=value,name=value',
    },
    OTEL_SERVICE_NAME: { schema: z.string().default('plinth'), hint: 'The name that traces and figures carry' },
    OTEL_TRACES_SAMPLER_ARG: {
      schema: z
        .string()
        .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'is not between 0 and 1')
        .transform(Number)
        .default(0.1),
      hint: 'The share of requests whose trace is kept: 0.1 is one of ten',
    },
    REDIS_URL: {
      schema: z
        .string()
        .regex(/^rediss?:\/\/|^redis\+sentinel:\/\/[^/]+\/[\w.-]+$/, 'is not a Redis URL')
        .optional(),
      hint: 'Where Redis is: redis://host:6379, or redis+sentinel://host:26379,host:26379/name. Limits are counted there; without it, in PostgreSQL',
    },
    TRUSTED_PROXY_HOPS: {
      schema: wholeNumber(0, 0, 10),
      hint: 'How many proxies of yours a request passes before it arrives; each must add to X-Forwarded-For',
    },
    CORS_ORIGINS: {
      schema: z
        .string()
        .transform((value) => value.split(',').map((origin) => origin.trim()))
        .refine((origins) => origins.every(isOrigin), 'holds something that is not exactly an origin')
        .default([]),
      hint: 'Other sites whose pages may call the API: https://a.example.com,https://b.example.com. No path, no slash at the end, no *',
    },
    CORS_CREDENTIALS: {
      schema: z
        .enum(['true'], 'can only be true')
        .transform(() => true)
        .default(false),
      hint: 'Lets those sites send the session cookie, which then goes to every site. An Authorization header is the better way',
    },
    ALLOW_SEEDED_PEOPLE: {
      schema: z.enum(['1'], 'can only be 1').optional(),
      hint: 'Lets production start although the people of development are in its database. For trying things out',
    },
    PASSWORD_MIN_LENGTH: {
      schema: wholeNumber(12, 8, 64),
      hint: 'The fewest characters of a new password',
    },
    AUTH_SIGNUP: {
      schema: z.enum(['open', 'invite', 'closed'], 'is none of open, invite, closed').default('open'),
      hint: 'Whether people who are not known yet may join by themselves',
    },
    AUDIT_RETENTION_MONTHS: {
      schema: wholeNumberIn(1, 1_200).optional(),
      hint: 'Months of the audit log that are kept beside the current one; all of them when it is not set',
    },
    ADMIN_EMAIL: {
      schema: z
        .string()
        .transform((value, context) => {
          const email = normalizeEmail(value)
          if (!email) context.addIssue('is not an e-mail address')
          return email ?? ''
        })
        .optional(),
      hint: 'Who becomes the first admin when the app starts and there is none: they get a mail to choose a password',
    },
    SMTP_URL: {
      schema: z
        .string()
        .regex(/^smtps?:\/\//, 'is not an SMTP URL')
        .default('smtp://127.0.0.1:1025'),
      required: 'production',
      hint: 'Where mails are handed in: smtp://user:password@host:587, or smtps:// for TLS from the start',
    },
    MAIL_FROM: {
      schema: z
        .string()
        .refine((value) => normalizeEmail(value) !== null, 'is not an e-mail address')
        .default('plinth@example.com'),
      required: 'production',
      hint: 'The address that mails come from',
    },
    WORKER: {
      schema: z.enum(['inside', 'apart'], 'is neither inside nor apart').default('inside'),
      hint: 'Whether each node also works on jobs and mails (inside), or only "npm run worker" does (apart)',
    },
    DRAIN_MS: {
      schema: wholeNumber(5_000, 0, 300_000),
      hint: 'Milliseconds that a node which was told to end still takes requests while it says that it is not ready: longer than the balancer needs to notice',
    },
    KEEP_ALIVE_TIMEOUT: {
      schema: wholeNumber(65_000, 1_000, 3_600_000),
      hint: 'Milliseconds that a connection is kept for the next request: longer than the balancer keeps it',
    },
    AUTH_GOOGLE_ISSUER: {
      schema: z.string().refine(isOrigin, 'is not an origin').optional(),
      hint: 'Another OpenID provider in place of Google, for development',
    },
    AUTH_GITHUB_URL: {
      schema: z.string().refine(isOrigin, 'is not an origin').optional(),
      hint: 'Another server in place of GitHub, for development',
    },
    AUTH_GOOGLE_ID: { schema: z.string().optional(), hint: 'The client id from Google' },
    AUTH_GOOGLE_SECRET: { schema: z.string().optional(), hint: 'The client secret from Google' },
    AUTH_GITHUB_ID: { schema: z.string().optional(), hint: 'The client id from GitHub' },
    AUTH_GITHUB_SECRET: { schema: z.string().optional(), hint: 'The client secret from GitHub' },
  },
  pair('AUTH_GOOGLE_ID', 'AUTH_GOOGLE_SECRET', 'Sign-in with Google'),
  pair('AUTH_GITHUB_ID', 'AUTH_GITHUB_SECRET', 'Sign-in with GitHub'),
  onlyHere('AUTH_GOOGLE_ISSUER'),
  onlyHere('AUTH_GITHUB_URL'),
)

export const coreEnv: Env = core
export const env = values
