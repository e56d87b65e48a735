// npm run test:matrix: calls every server action, route handler and guarded page of the production build unauthenticated and
// as a user of each role, and compares the result with the permission table. No request has a body that changes data.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { appSlug } from '../../../src/brand.ts'
import { type Role, roles } from '../../../src/core/auth/roles.ts'
import { startApp } from '../support/app.ts'
import { submitAction } from '../support/call-action.ts'
import { call, Jar } from '../support/http-client.ts'
import { newUser } from '../support/new-user.ts'
import { query } from '../support/query.ts'
import { verdict } from '../support/server-actions.ts'
import { type EntryPoint, findEntryPoints, isDecidedInApp, unusedPermissions } from './entry-points.ts'
import { findMakeScope } from './scopes.ts'

showUsage('npm run test:matrix')

const callers = ['nobody', ...roles] as const
type Caller = (typeof callers)[number]

const entryPoints = await findEntryPoints()
const failures: string[] = []
for (const permission of await unusedPermissions(entryPoints)) failures.push(`no entry point requires ${permission}`)

const { app, env, stop } = await startApp()
Object.assign(process.env, env)

const [constraint] = await query<{ definition: string }>(
  `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'users_role_check'`,
)
for (const [, role = ''] of constraint?.definition.matchAll(/'(\w+)'/g) ?? [])
  if (!(callers as readonly string[]).includes(role))
    failures.push(`users can have the role ${role}, which is not among the callers (tests/app/matrix/matrix.ts)`)
if (!constraint) failures.push('the database does not limit the roles of users (src/core/db/schema.ts)')

interface Session {
  userId: string
  jar: Jar
}

/** Inserts the session of a new user with that role into the database. */
async function startSession(role: Role): Promise<Session> {
  const token = randomBytes(32).toString('base64url')
  const [session] = await query<{ user_id: string }>(
    'insert into sessions (user_id, token_hash) select id, $2 from users where email = $1 returning user_id',
    [await newUser({ role }), createHash('sha256').update(token).digest()],
  )
  return { userId: session?.user_id ?? '', jar: new Jar({ [`${appSlug}.session`]: token }) }
}

/** Calls an entry point. Returns the error code, or `status …` for any other response. */
async function callEntryPoint(entryPoint: EntryPoint, session: Session | undefined, scope?: string): Promise<string> {
  const by = session ? { jar: session.jar } : {}
  // No input: an action that allows the caller then fails with a validation error and changes nothing.
  if (entryPoint.kind === 'action')
    return verdict(await submitAction({ app }, entryPoint.name, scope === undefined ? null : { scope }, by))
  if (entryPoint.kind === 'page') return openPage(entryPoint, session, scope)
  const { method = 'GET', path: template = '/' } = entryPoint
  const path = template.replace('[scope]', scope ?? 'no-such-scope')
  const body = ['GET', 'HEAD'].includes(method) ? {} : { body: {} }
  const response = await call(app.url, path, { method, ...body, ...by })
  const isProblem = response.headers['content-type']?.startsWith('application/problem+json') && response.text !== ''
  if (isProblem) return response.json().code
  const codeOfHead = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found' }[response.status]
  return (method === 'HEAD' && codeOfHead) || `status ${response.status}`
}

/** A page redirects unauthenticated callers to sign-in, and responds 404 without the permission. */
async function openPage(
  { file, path: template = '/' }: EntryPoint,
  session: Session | undefined,
  scope = 'no-such-scope',
): Promise<string> {
  const by = session ? { jar: session.jar } : {}
  const path = template.replace('[scope]', scope)
  const ids = path.includes('[id]') ? await idsFor(file, session?.userId) : ['']
  for (const id of ids) {
    const { status, headers } = await call(app.url, path.replace('[id]', id).replaceAll(/\[\w+\]/g, '1'), by)
    if (headers.location?.startsWith('/signin')) return 'unauthenticated'
    if (status !== 404) return `status ${status}`
  }
  return 'forbidden'
}

/**
 * Candidates for `[id]` in the path of a page: a user, an audit event, or a seeded row of one of the module's tables. The caller
 * becomes the author of the row, because a role may only open rows of its own.
 */
async function idsFor(file: string, callerId: string | undefined): Promise<string[]> {
  const { userId } = await startSession('viewer')
  const [event] = await query(
    `insert into audit_events (kind) values ('test.happened')
     returning (extract(epoch from at) * 1000)::bigint || '-' || id as key`,
  )
  const manifest = /^src\/app\/\([^)]+\)\//.exec(file)?.[0]
  const tables: string[] = manifest ? JSON.parse(readFileSync(join(root, manifest, 'module.json'), 'utf8')).tables : []
  const withId: { name: string; hasAuthor: boolean }[] = await query(
    `select table_name as name, exists (select from information_schema.columns as other
       where other.table_schema = 'public' and other.table_name = id.table_name and column_name = 'author_id') as "hasAuthor"
     from information_schema.columns as id
     where table_schema = 'public' and table_name = any($1) and column_name = 'id' and data_type = 'uuid'`,
    [tables],
  )
  const found = await Promise.all(withId.map(({ name }) => query(`select id from ${name} order by id limit 1`)))
  for (const [index, { name, hasAuthor }] of withId.entries())
    if (hasAuthor && callerId)
      await query(`update ${name} set author_id = $1 where id = $2`, [callerId, found[index]?.[0]?.id])
  return [userId, event?.key ?? '', ...found.flatMap((rows) => rows.map((row) => row.id))]
}

/** The expected error code; undefined if the caller must be allowed, whatever the response is then. */
function expectedError({ access }: EntryPoint, caller: Caller): string | undefined {
  if (access === 'public') return
  if (caller === 'nobody') return 'unauthenticated'
  return access.roles.includes(caller) ? undefined : 'forbidden'
}

const isAuthError = (actual: string) => ['unauthenticated', 'forbidden'].includes(actual)

/** Callers of an entry point in a scope. The outsider is an admin of the app, the others are viewers there. */
const scopeCallers = ['nobody', 'outsider', ...roles] as const
type ScopeCaller = (typeof scopeCallers)[number]

function expectedErrorInScope({ access, kind }: EntryPoint, caller: ScopeCaller): string | undefined {
  if (access === 'public') return
  if (caller === 'nobody') return 'unauthenticated'
  // A page responds 404 to both.
  if (caller === 'outsider') return kind === 'page' ? 'forbidden' : 'not_found'
  return access.roles.includes(caller) ? undefined : 'forbidden'
}

/** In which tables an entry point belongs: actions with `scope or app` in both, pages and handlers by their path. */
const isInScope = ({ access, path }: EntryPoint) =>
  access !== 'public' && access.where !== 'app' && (path === undefined || path.includes('[scope]'))
async function checkInApp(entryPoint: EntryPoint): Promise<string[]> {
  const row = [entryPoint.name, entryPoint.access === 'public' ? 'public' : entryPoint.access.permission]
  for (const caller of callers) {
    // A new user each time, so that an entry point that ends the session does not affect the next one.
    const session = caller === 'nobody' ? undefined : await startSession(caller)
    const actual = await callEntryPoint(entryPoint, session)
    const expected = expectedError(entryPoint, caller)
    const isRight = expected ? actual === expected : !isAuthError(actual)
    if (!isRight)
      failures.push(`${entryPoint.name} as ${caller}: ${actual}, expected ${expected ?? 'access'} (${entryPoint.file})`)
    row.push(isRight ? actual : `${actual} (!)`)
  }
  return row
}

/** Calls an entry point in a new scope, as each of its callers. */
async function checkInScope(entryPoint: EntryPoint, makeScope: NonNullable<Awaited<ReturnType<typeof findMakeScope>>>) {
  const row = [entryPoint.name, entryPoint.access === 'public' ? 'public' : entryPoint.access.permission]
  // The row that `[id]` stands for is not in this scope, so even those who are allowed get 404.
  const isRowMissing = /\[(id|number)\]/.test(entryPoint.path ?? '') && entryPoint.kind === 'page'
  for (const caller of scopeCallers) {
    const session = caller === 'nobody' ? undefined : await startSession(caller === 'outsider' ? 'admin' : 'viewer')
    const isMember = caller !== 'nobody' && caller !== 'outsider'
    const member = session && isMember ? { id: session.userId, role: caller } : undefined
    const founder = await startSession('viewer')
    const slug = await makeScope(query, founder.userId, member)
    const actual = await callEntryPoint(entryPoint, session, slug)
    const expected = expectedErrorInScope(entryPoint, caller)
    const isRight = expected ? actual === expected : isRowMissing || !isAuthError(actual)
    if (!isRight)
      failures.push(
        `${entryPoint.name} as ${caller} of a scope: ${actual}, expected ${expected ?? 'access'} (${entryPoint.file})`,
      )
    row.push(isRight ? actual : `${actual} (!)`)
  }
  return row
}

/** The rows of these entry points, a few at a time. Pages one by one: their callers share the rows of the module. */
async function makeRows(of: EntryPoint[], check: (entryPoint: EntryPoint) => Promise<string[]>): Promise<string[][]> {
  const found: string[][] = []
  for (const page of of.filter(({ kind }) => kind === 'page')) found.push(await check(page))
  const waiting = of.filter(({ kind }) => kind !== 'page')
  while (waiting.length > 0) found.push(...(await Promise.all(waiting.splice(0, 4).map(check))))
  return found
}

const rows: string[][] = [['entry point', 'permission', ...callers]]
try {
  rows.push(...(await makeRows(entryPoints.filter(isDecidedInApp), checkInApp)))
  const makeScope = await findMakeScope()
  if (makeScope) {
    rows.push(['in a scope', '', ...scopeCallers])
    rows.push(...(await makeRows(entryPoints.filter(isInScope), (one) => checkInScope(one, makeScope))))
  }
  // The running app must not offer methods that the file tree does not have.
  for (const path of new Set(entryPoints.flatMap(({ kind, path }) => (kind === 'handler' && path ? [path] : [])))) {
    const known = entryPoints.filter((entryPoint) => entryPoint.path === path).map(({ method }) => method ?? '')
    const { headers } = await call(app.url, path.replace('[scope]', 'no-such-scope'), { method: 'OPTIONS' })
    const offered = (headers.allow ?? '').split(', ').filter((method) => method !== 'OPTIONS')
    if (offered.toSorted().join() !== known.toSorted().join())
      failures.push(`${path} allows ${offered}, but the source has ${known}`)
  }
} finally {
  await stop()
}

const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  )
const count = (kind: EntryPoint['kind']) => entryPoints.filter((entryPoint) => entryPoint.kind === kind).length
console.log(
  `\n${count('action')} actions, ${count('handler')} handlers, ${count('page')} pages, ${callers.length} callers each.`,
)
for (const failure of failures) console.log(`FAIL ${failure}`)
console.log(failures.length === 0 ? 'Every entry point matches the permission table.' : `${failures.length} FAILED`)
process.exitCode = failures.length === 0 ? 0 : 1
