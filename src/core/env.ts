import { deflateRawSync } from 'node:zlib'
import { z } from 'zod'
import { appSlug } from '@/brand'
import { providerFiles } from './auth/oauth/provider-files'
import { normalizeEmail } from './auth/user/email'
import { defineEnv, type Env, isLoopback, isOrigin } from './define-env'

export { checkEnv, defineEnv, type Env, findMisspelledSettings } from './define-env'

/** https, or http on this machine: a host and a path. */
const isServiceUrl = (value: string) => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
  return isSafe && !(username || password || search || hash)
}

const placeholderPattern =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this)|your[-_ ]|placeholder|example|super[-_ ]?secret|random ?bytes/i

/** A secret that repeats or counts up compresses to a few bytes; a random one does not. */
function isEasyToGuess(secret: string): boolean {
  const bytes = Buffer.from(secret)
  const steps = bytes.map((byte, index) => byte - (bytes[index - 1] ?? 0))
  return (
    placeholderPattern.test(secret) || [bytes, steps].some((text) => deflateRawSync(text, { level: 9 }).length < 22)
  )
}

/** One or more, separated by commas: the first signs and encrypts, all of them verify and decrypt. */
const secrets = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()) as [string, ...string[]])
  .refine((all) => all.every((one) => Buffer.byteLength(one) >= 32), 'is shorter than 32 bytes')
  .refine((all) => !all.some(isEasyToGuess), 'is too easy to guess')

const wholeNumberIn = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `is not between ${min} and ${max}`)

const wholeNumber = (fallback: number, min: number, max: number) => wholeNumberIn(min, max).default(fallback)

const secretCommand = `node -p "require('node:crypto').randomBytes(33).toString('base64url')"`

const { values, ...core } = defineEnv(
  'core',
  {
    AUTH_SECRET: {
      schema: secrets,
      required: 'production',
      hint: `Signs tokens and cookies. To rotate it, name the new and the old one, separated by a comma. Generate one: ${secretCommand}`,
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
      hint: 'The public origin, without a path: https://app.example.com. The base of redirects and of links in emails',
    },
    DATABASE_URL: {
      schema: z.string().regex(/^postgres(ql)?:\/\//, 'is not a PostgreSQL URL'),
      required: 'production',
      hint: 'The PostgreSQL connection URL: postgres://user:password@host:5432/database. If empty, "npm run dev" starts a PostgreSQL from npm',
    },
    DATABASE_POOL_MAX: {
      schema: wholeNumber(10, 1, 500),
      hint: 'The maximum number of database connections per node',
    },
    DATABASE_POOLER: {
      schema: z.enum(['transaction'], 'can only be transaction').optional(),
      hint: 'Set it if a pooler in transaction mode is between the app and PostgreSQL: no session state is then set on connections',
    },
    DATABASE_REPLICA_URL: {
      schema: z
        .string()
        .regex(/^postgres(ql)?:\/\//, 'is not a PostgreSQL URL')
        .optional(),
      hint: 'A read replica for lists, which may then be slightly stale. Without it, or while it is down, DATABASE_URL is used',
    },
    LOG_LEVEL: {
      schema: z
        .enum(['debug', 'info', 'warn', 'error', 'silent'], 'is none of debug, info, warn, error, silent')
        .default('info'),
      hint: 'The lowest level that is logged',
    },
    METRICS_PORT: {
      schema: wholeNumberIn(1, 65_535).optional(),
      hint: 'A separate port where Prometheus scrapes metrics',
    },
    METRICS_HOST: {
      schema: z.string().default('127.0.0.1'),
      hint: 'The IP that METRICS_PORT binds to: 0.0.0.0 if Prometheus runs on another machine',
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      schema: z
        .string()
        .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), 'is not an http(s) URL')
        .optional(),
      hint: 'A collector that accepts traces by OTLP over HTTP: http://collector:4318',
    },
    OTEL_EXPORTER_OTLP_HEADERS: {
      schema: z.string().optional(),
      hint: 'Headers for the collector, such as an API key: name=value,name=value',
    },
    OTEL_SERVICE_NAME: { schema: z.string().default(appSlug), hint: 'The service name in traces and metrics' },
    OTEL_TRACES_SAMPLER_ARG: {
      schema: z
        .string()
        .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'is not between 0 and 1')
        .transform(Number)
        .default(0.1),
      hint: 'The share of requests that are traced: 0.1 is one in ten',
    },
    REDIS_URL: {
      schema: z
        .string()
        .regex(/^rediss?:\/\/|^redis\+sentinel:\/\/[^/]+\/[\w.-]+$/, 'is not a Redis URL')
        .optional(),
      hint: 'The Redis URL: redis://host:6379, or redis+sentinel://host:26379,host:26379/name. Stores rate limits. Without it, PostgreSQL does',
    },
    TRUSTED_PROXY_HOPS: {
      schema: wholeNumber(0, 0, 10),
      hint: 'The number of your own proxies in front of the app. Each must append to X-Forwarded-For',
    },
    CORS_ORIGINS: {
      schema: z
        .string()
        .transform((value) => value.split(',').map((origin) => origin.trim()))
        .refine((origins) => origins.every(isOrigin), 'contains something that is not exactly an origin')
        .default([]),
      hint: 'Other origins whose pages may call the API: https://a.example.com,https://b.example.com. No path, no trailing slash, no *',
    },
    CORS_CREDENTIALS: {
      schema: z
        .enum(['true'], 'can only be true')
        .transform(() => true)
        .default(false),
      hint: 'Lets those origins send the session cookie, which then becomes SameSite=None. Prefer an Authorization header',
    },
    ALLOW_SEEDED_PEOPLE: {
      schema: z.enum(['1'], 'can only be 1').optional(),
      hint: 'Lets production start although the seeded users of development are in its database. For trials only',
    },
    DEV_HOSTS: {
      schema: z
        .string()
        .transform((value) => value.split(',').map((name) => name.trim().toLowerCase()))
        .refine(
          (names) => names.every((name) => /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(name)),
          'contains something that is not a host name',
        )
        .default([]),
      hint: 'Host names besides localhost that "npm run dev" and "npm run preview" accept: 192.168.1.20,laptop.local',
    },
    PASSWORD_MIN_LENGTH: {
      schema: wholeNumber(12, 8, 64),
      hint: 'The minimum length of a new password, in characters',
    },
    PASSWORD_BREACH_CHECK: {
      schema: z.enum(['on', 'off'], 'is neither on nor off').default('off'),
      hint: 'Whether passwords are looked up in a list of data breaches (on), by 5 digits of their hash, or not (off)',
    },
    PASSWORD_BREACH_URL: {
      schema: z
        .string()
        .refine(isServiceUrl, 'is not an https URL with nothing but a host and a path')
        .transform((value) => value.replace(/\/+$/, ''))
        .default('https://api.pwnedpasswords.com'),
      hint: 'The service for PASSWORD_BREACH_CHECK, with the protocol of Pwned Passwords',
    },
    AUTH_SIGNUP: {
      schema: z.enum(['open', 'invite', 'closed'], 'is none of open, invite, closed').default('open'),
      hint: 'Whether new users can sign up: open (anyone), invite (with an invitation) or closed',
    },
    AUDIT_RETENTION_MONTHS: {
      schema: wholeNumberIn(1, 1_200).optional(),
      hint: 'Months of the audit log to keep besides the current one. If not set, all of them are kept',
    },
    ADMIN_EMAIL: {
      schema: z
        .string()
        .transform((value, context) => {
          const email = normalizeEmail(value)
          if (!email) context.addIssue('is not an email address')
          return email ?? ''
        })
        .optional(),
      hint: 'The email of the first admin. If there is no admin when the app starts, it gets an email to choose a password',
    },
    SMTP_URL: {
      schema: z
        .string()
        .regex(/^smtps?:\/\//, 'is not an SMTP URL')
        .default('smtp://127.0.0.1:1025'),
      required: 'production',
      hint: 'The mail server: smtp://user:password@host:587, or smtps:// for implicit TLS',
    },
    MAIL_FROM: {
      schema: z
        .string()
        .refine((value) => normalizeEmail(value) !== null, 'is not an email address')
        .default(`${appSlug}@example.com`),
      required: 'production',
      hint: 'The sender of all emails: noreply@example.com',
    },
    WORKER: {
      schema: z.enum(['inside', 'apart'], 'is neither inside nor apart').default('inside'),
      hint: 'Whether each node also runs jobs and sends emails (inside), or only "npm run worker" does (apart)',
    },
    DRAIN_MS: {
      schema: wholeNumber(5_000, 0, 300_000),
      hint: 'Milliseconds after SIGTERM in which a node still accepts requests but reports "not ready": longer than the load balancer needs to notice',
    },
    KEEP_ALIVE_TIMEOUT: {
      schema: wholeNumber(65_000, 1_000, 3_600_000),
      hint: 'The keep-alive timeout in milliseconds: longer than that of the load balancer',
    },
    TIMEOUT_FACTOR: {
      schema: wholeNumber(1, 1, 100),
      hint: 'Multiplies how long the app waits for the database, Redis, mail servers, other services, password hashing and images. For tests on a busy machine',
    },
  },
  (source) => providerFiles.flatMap(({ env }) => env.problems(source)),
)

/** The settings of core and of its OAuth providers. */
export const coreEnv: Env = { ...core, names: [...core.names, ...providerFiles.flatMap(({ env }) => env.names)] }
export const env = values
