// With their extensions, because `npm run doctor` runs this file in plain Node.
import { canConnect } from './can-connect.ts'
import { checkDatabase, type Walled } from './check-database.ts'
import { broken, type Finding, note, ok } from './finding.ts'

type Environment = Record<string, string | undefined>

/** A part of the setup, such as the database. */
export interface CheckedArea {
  title: string
  findings: Finding[]
}

/**
 * The checks that "npm run doctor" and the start page of development share. `findProblems` returns what is wrong with the
 * settings, as text, and nothing if they are valid. Without DATABASE_URL the database is not checked.
 */
export async function checkApp({
  root,
  env,
  providers,
  findProblems,
  walled,
}: {
  root: string
  env: Environment
  providers: ProviderState[]
  findProblems: (mode: 'development' | 'production') => string
  /** If a module has scopes. */
  walled?: Walled | undefined
}): Promise<CheckedArea[]> {
  const [database, email] = await Promise.all([
    env.DATABASE_URL ? checkDatabase(env.DATABASE_URL, root, walled) : [],
    checkEmail(env),
  ])
  return [
    { title: 'Settings', findings: checkSettings(findProblems) },
    { title: 'Database', findings: database },
    { title: 'Email', findings: [email] },
    { title: 'Sign-in providers', findings: [checkProviders(providers)] },
  ].filter(({ findings }) => findings.length > 0)
}

function checkSettings(findProblems: (mode: 'development' | 'production') => string): Finding[] {
  const development = findProblems('development')
  if (development) return [broken('Settings are missing or invalid', development)]
  const production = findProblems('production')
  return [
    ok('Settings are valid for development'),
    production ? note('Not ready for production', production) : ok('Settings are valid for production'),
  ]
}

const defaultPorts: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }
const loopback = ['localhost', '127.0.0.1', '[::1]']

/** Emails wait in a queue while the mail server is down, so that is only worth a note. */
export async function checkEmail({ SMTP_URL, DEV_INBOX }: Environment): Promise<Finding> {
  const realServer = 'To send real emails, set SMTP_URL and MAIL_FROM in .env.'
  if (!SMTP_URL) return ok('Emails go to the inbox of "npm run dev"', realServer)
  // An invalid URL is a problem of the settings.
  if (!URL.canParse(SMTP_URL)) return note('Email isn’t checked because SMTP_URL is invalid')
  const { protocol, hostname, port } = new URL(SMTP_URL)
  const actualPort = Number(port) || (defaultPorts[protocol] ?? 25)
  if (!(await canConnect(hostname.replace(/^\[|\]$/g, ''), actualPort, 'QUIT\r\n')))
    return note(`Can’t reach the mail server at ${hostname}:${actualPort}`, 'Start it, or correct SMTP_URL.')
  return DEV_INBOX && loopback.includes(hostname)
    ? ok('Emails are stored in the development inbox', realServer)
    : ok(`Emails are sent through ${hostname}`)
}

/** How an OAuth provider is set up. See `Provider` in core/auth/oauth. */
interface ProviderState {
  name: string
  isConfigured: boolean
  hasStandIn: boolean
  isStandIn: boolean
}

const listNames = (providers: ProviderState[]) => providers.map(({ name }) => name).join(' and ')

export function checkProviders(providers: ProviderState[]): Finding {
  const real = providers.filter(({ isConfigured, isStandIn }) => isConfigured && !isStandIn)
  if (real.length > 0) return ok(`Sign-in with ${listNames(real)} is configured`)
  const standIns = providers.filter(({ hasStandIn }) => hasStandIn)
  return ok(
    standIns.length > 0
      ? `Sign-in with ${listNames(standIns)} uses stand-ins on this machine`
      : 'No sign-in provider is configured',
    'To use the real providers, set their client ids and secrets in .env. See .env.example.',
  )
}
