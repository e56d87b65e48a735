// npm run user -- create --email ada@example.com --name "Ada Lovelace" --role admin
// Creates the first admin: the first user to sign up does not become admin. The password is read from standard input if it
// is piped in; otherwise a link to choose one is printed, so that no generated password stays in use.
//
// npm run user -- import users.csv
// Prints what is wrong with the file, row by row, and with --yes imports the users. A module provides the import.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { defaultRole, roles } from '../src/core/auth/roles.ts'
import type { AppModule } from '../src/core/module.ts'
import { prepareDatabase } from './environment.ts'
import { importSource } from './import-source.ts'
import { showUsage } from './show-usage.mjs'

const usage = `npm run user -- create --email ada@example.com --name "Ada Lovelace" --role ${roles.join('|')}, or import users.csv [--yes]`
showUsage(usage)

interface NewUser {
  email: string
  name: string | undefined
  role: string
}

function readArguments(): { newUser: NewUser } | { file: string; isConfirmed: boolean } {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        email: { type: 'string' },
        name: { type: 'string' },
        role: { type: 'string', default: defaultRole },
        yes: { type: 'boolean', default: false },
      },
    })
    const [command, file, ...rest] = positionals
    const { email, name, role, yes } = values
    if (command === 'create' && !file && email) return { newUser: { email, name, role } }
    if (command === 'import' && file && rest.length === 0) return { file, isConfirmed: yes }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
  console.error(`Usage: ${usage}`)
  process.exit(1)
}

/** Reads the piped password. Empty for a terminal or without standard input. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) return ''
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

async function createUserWith({ email, name, role }: NewUser, pipedPassword: string): Promise<void> {
  // A random placeholder that is never shown; the user replaces it through the link.
  const password = pipedPassword || randomBytes(32).toString('base64url')
  const [{ createUser }, { createEmailLink, resetLink }, { closeDatabase }] = await importSource(
    'src/core/auth/user/create.ts',
    'src/core/auth/tokens/email-link.ts',
    'src/core/db/client.ts',
  )
  await report(async () => {
    const userId = await createUser({ email, name: name ?? email.split('@')[0], role, password })
    if (pipedPassword) console.log(`Created ${email} with the role ${role}.`)
    else
      console.log(`Created ${email} with the role ${role}. Set a password with this link (works once, for 30 minutes):`)
    if (!pipedPassword) console.log(await createEmailLink(resetLink, { userId }))
  })
  await closeDatabase()
}

/** Opens the file only when it is read, so that its errors reach the reader. */
async function* readContent(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file)
}

async function importUsersOf(file: string, isConfirmed: boolean): Promise<void> {
  const [{ modules }, { closeDatabase }] = await importSource('src/modules.ts', 'src/core/db/client.ts')
  const importer = (modules as AppModule[]).find(({ importUsers }) => importUsers)
  await report(async () => {
    if (!importer?.importUsers) throw new Error('No installed module imports users.')
    const content = readContent(file)
    await importer.importUsers({ name: basename(file), content }, { isConfirmed, print: console.log })
  })
  await closeDatabase()
}

/** Runs the work and prints its error, with the messages by field. */
async function report(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { message, fields } = error as Error & { fields?: Record<string, string[]> }
    console.error(message)
    for (const [field, messages] of Object.entries(fields ?? {})) console.error(`  ${field}: ${messages.join('. ')}`)
    process.exitCode = 1
  }
}

const given = readArguments()
const pipedPassword = 'newUser' in given ? await readPassword() : ''
const database = await prepareDatabase()
try {
  if ('newUser' in given) await createUserWith(given.newUser, pipedPassword)
  else await importUsersOf(given.file, given.isConfirmed)
} finally {
  await database.stop()
}
// Open job queues would keep the process alive.
process.exit()
