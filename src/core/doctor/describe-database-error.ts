const fix = 'Start it, correct the URL, or leave DATABASE_URL empty to use PostgreSQL from npm.'

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  ETIMEDOUT: 'it does not respond',
  '28P01': 'the password is wrong',
  '28000': 'the user is not allowed to connect',
  '3D000': 'the server has no database of that name',
  '57P03': 'the server is starting up or shutting down',
}

/** Words for an error of connecting to the database; null for any other error. */
export function describeDatabaseError(error: unknown): { message: string; fix: string } | null {
  if (!(error instanceof Error)) return null
  const { code = '', input } = error as { code?: unknown; input?: unknown }
  // pg hides the URL in its error, because it may contain a password.
  const isOfDatabase = input === process.env.DATABASE_URL || /redacted/i.test(String(input))
  if (code === 'ERR_INVALID_URL' && isOfDatabase)
    return { message: 'DATABASE_URL isn’t a URL. It looks like postgres://user:password@host:5432/database.', fix }
  // Several addresses of one host were tried: the error of the first one tells why.
  const [first] = error instanceof AggregateError ? error.errors : []
  const reason = reasons[String(code)] ?? reasons[String((first as { code?: unknown } | undefined)?.code)]
  if (reason) return { message: `Can’t connect to the database in DATABASE_URL: ${reason}.`, fix }
  if (/timeout (expired|exceeded)|Connection terminated/i.test(error.message))
    return { message: 'Can’t connect to the database in DATABASE_URL: it does not respond.', fix }
  return null
}
