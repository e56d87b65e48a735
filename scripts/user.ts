// npm run user -- create --email ada@example.com --name "Ada Lovelace" --role admin
// The first admin comes from here: being first to sign up makes nobody an admin. The password is read from standard input
// when something is piped in; otherwise a link to choose one is printed: nobody keeps a password that we made up.
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { prepareDatabase } from './environment.ts'
import { importSource } from './source.ts'

const usage = 'Usage: npm run user -- create --email ada@example.com --name "Ada Lovelace" --role viewer|editor|admin'

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { email: { type: 'string' }, name: { type: 'string' }, role: { type: 'string', default: 'viewer' } },
    })
    if (positionals.join() === 'create' && values.email) return { ...values, email: values.email }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
  console.error(usage)
  process.exit(1)
}

/** What was piped in. A terminal, or no standard input at all, gives nothing. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) return ''
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

const { email, name, role } = readArguments()
const given = await readPassword()
// Known to nobody, and worth nothing as soon as another is chosen.
const password = given || randomBytes(32).toString('base64url')
const database = await prepareDatabase()
const [{ createPerson }, { makeLink, resetLink }, { closeDatabase }] = await importSource(
  'src/core/auth/people.ts',
  'src/core/auth/link.ts',
  'src/core/db/seed.ts',
)
try {
  const userId = await createPerson({ email, name: name ?? email.split('@')[0], role, password })
  if (given) console.log(`${email} can sign in as ${role}.`)
  else console.log(`${email} is ${role}. To choose a password, open within half an hour, once:`)
  if (!given) console.log(await makeLink(resetLink, { userId }))
} catch (error) {
  const { message, fields } = error as Error & { fields?: Record<string, string[]> }
  console.error(message)
  for (const [field, messages] of Object.entries(fields ?? {})) console.error(`  ${field}: ${messages.join('. ')}`)
  process.exitCode = 1
} finally {
  await closeDatabase()
  await database.stop()
}
