// npm run test:matrix: calls every server action, route handler and guarded page of the production build as nobody, viewer,
// editor and admin, and holds what they decide against the permission table. Nothing is sent that could change anything.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { verdict } from '../hostile/actions.ts'
import { call, type Jar } from '../hostile/client.ts'
import { submit, World } from '../hostile/world.ts'
import { type Door, everyDoor, idlePermissions, roles } from './doors.ts'

const callers = ['nobody', ...roles] as const
type Caller = (typeof callers)[number]

const doors = await everyDoor()
const faults: string[] = []
for (const permission of await idlePermissions(doors)) faults.push(`no door asks for ${permission}`)

/** What a door decides, in a word: the code of its refusal, or what else it answered. */
async function knock(world: World, door: Door, jar: Jar | undefined): Promise<string> {
  const by = jar ? { jar } : {}
  // No input at all: an action that lets somebody in refuses that.
  if (door.kind === 'action') return verdict(await submit(world, door.name, null, by))
  if (door.kind === 'page') return look(world, door, by)
  const { method = 'GET', address = '/' } = door
  const body = ['GET', 'HEAD'].includes(method) ? {} : { body: {} }
  const answer = await call(world.app.url, address, { method, ...body, ...by })
  const isProblem = answer.headers['content-type']?.startsWith('application/problem+json') && answer.text !== ''
  if (isProblem) return answer.json().code
  return { 401: 'unauthenticated', 403: 'forbidden' }[answer.status] ?? `status ${answer.status}`
}

/** A page sends strangers to sign in, and to those who may not see it there is nothing there. */
async function look(world: World, { file, address = '/' }: Door, by: { jar?: Jar }): Promise<string> {
  const ids = address.includes('[id]') ? await idsFor(world, file) : ['']
  for (const id of ids) {
    const { status, headers } = await call(world.app.url, address.replace('[id]', id).replaceAll(/\[\w+\]/g, '1'), by)
    if (headers.location?.startsWith('/signin')) return 'unauthenticated'
    if (status !== 404) return `status ${status}`
  }
  return 'forbidden'
}

/** What `[id]` in the address of a page may stand for: a person, or something that the seed has put into the module's tables. */
async function idsFor(world: World, file: string): Promise<string[]> {
  const { id } = await world.newPerson()
  const manifest = /^src\/app\/\([^)]+\)\//.exec(file)?.[0]
  const tables: string[] = manifest ? JSON.parse(readFileSync(join(root, manifest, 'module.json'), 'utf8')).tables : []
  const withId: { name: string }[] = await world.query(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and table_name = any($1) and column_name = 'id' and data_type = 'uuid'`,
    [tables],
  )
  const found = await Promise.all(withId.map(({ name }) => world.query(`select id from ${name} limit 1`)))
  return [id, ...found.flatMap((rows) => rows.map((row) => row.id))]
}

/** What it must decide; undefined where it must let the caller in, whatever comes of it then. */
function refusalFor({ access }: Door, caller: Caller): string | undefined {
  if (access === 'public') return
  if (caller === 'nobody') return 'unauthenticated'
  return access.roles.includes(caller) ? undefined : 'forbidden'
}

const isRefusal = (decided: string) => ['unauthenticated', 'forbidden'].includes(decided)

const world = await World.start()
const rows: string[][] = [['door', 'who may', ...callers]]
try {
  for (const door of doors) {
    const row = [door.name, door.access === 'public' ? 'public' : door.access.permission]
    for (const caller of callers) {
      // Somebody new each time: what one door does to a session is nothing to the next.
      const jar = caller === 'nobody' ? undefined : await world.enter(await world.newPerson({ role: caller }))
      const decided = await knock(world, door, jar)
      const expected = refusalFor(door, caller)
      const isRight = expected ? decided === expected : !isRefusal(decided)
      if (!isRight) faults.push(`${door.name} as ${caller}: ${decided}, not ${expected ?? 'let in'} (${door.file})`)
      row.push(isRight ? decided : `${decided} (!)`)
    }
    rows.push(row)
  }
  // What the file tree does not show, the running app must not answer either.
  for (const address of new Set(
    doors.flatMap(({ kind, address }) => (kind === 'handler' && address ? [address] : [])),
  )) {
    const known = doors.filter((door) => door.address === address).map(({ method }) => method ?? '')
    const { headers } = await call(world.app.url, address, { method: 'OPTIONS' })
    const offered = (headers.allow ?? '').split(', ').filter((method) => method !== 'OPTIONS')
    if (offered.toSorted().join() !== known.toSorted().join())
      faults.push(`${address} offers ${offered}, and the table has ${known}`)
  }
} finally {
  await world.stop()
}

const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(width(column)))
      .join('  ')
      .trimEnd(),
  )
const count = (kind: Door['kind']) => doors.filter((door) => door.kind === kind).length
console.log(
  `\n${count('action')} actions, ${count('handler')} handlers, ${count('page')} pages, ${callers.length} callers each.`,
)
for (const fault of faults) console.log(`FAIL ${fault}`)
console.log(faults.length === 0 ? 'Every door decides as the table says.' : `${faults.length} FAILED`)
process.exitCode = faults.length === 0 ? 0 : 1
