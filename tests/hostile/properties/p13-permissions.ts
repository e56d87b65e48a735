import assert from 'node:assert/strict'
import fc from 'fast-check'
import { everyDoor } from '../../matrix/doors.ts'
import { guardedActions, verdict } from '../actions.ts'
import { check } from '../checks.ts'
import { submit } from '../world.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

type Role = 'viewer' | 'editor' | 'admin'
const roles: Role[] = ['viewer', 'editor', 'admin']
const someRoles = fc.subarray(roles)

check(
  'P-13',
  'what a role may do is what the table says, whatever the table; and who may less never may more',
  async (world) => {
    const [{ authorize, definePolicy, isAllowed }, { modules }] = await appCode<
      [typeof import('../../../src/core/auth/policy.ts'), typeof import('../../../src/modules.ts')]
    >(world, 'src/core/auth/policy.ts', 'src/modules.ts')
    const anyTable = await holds(
      'P-13',
      fc.property(
        fc.dictionary(fc.string(), someRoles, { minKeys: 1 }),
        fc.nat(),
        fc.oneof(
          fc.constantFrom(...roles),
          fc.constantFrom('Admin', 'admin ', '', '__proto__', 'constructor', 'owner'),
        ),
        (table, index, role) => {
          const { can } = definePolicy(table)
          const permission = Object.keys(table)[index % Object.keys(table).length] ?? ''
          const isHeld = (table[permission] as string[]).includes(role)
          assert.equal(isAllowed(role as Role, can(permission)), isHeld)
          assert.equal(isAllowed(undefined, can(permission)), false)
          const caller = { role: role as Role }
          if (isHeld) assert.equal(authorize(caller, can(permission)), caller)
          else assert.throws(() => authorize(caller, can(permission)), { code: 'forbidden' })
          assert.throws(() => authorize(null, can(permission)), { code: 'unauthenticated' })
          // What no table has is nobody's.
          assert.equal(
            isAllowed(role as Role, can(`${permission}?` as typeof permission)),
            `${permission}?` in table && isHeld,
          )
        },
      ),
      { examples: [] },
    )

    const real = Object.assign({}, ...modules.map(({ permissions }) => permissions ?? {})) as Record<string, Role[]>
    for (const [permission, holders] of Object.entries(real)) {
      assert.ok(!holders.includes('viewer') || holders.includes('editor'), `${permission}: viewers, and no editors`)
      assert.ok(!holders.includes('editor') || holders.includes('admin'), `${permission}: editors, and no admins`)
    }

    // And the doors themselves, asked at random. Nothing is given to them, so none of them does anything.
    const doors = new Map((await everyDoor()).map(({ name, access }) => [name, access]))
    const jars = new Map(
      await Promise.all(roles.map(async (role) => [role, (await world.newSession({ role })).jar] as const)),
    )
    const asked = await holds(
      'P-13',
      fc.asyncProperty(
        fc.constantFrom(...guardedActions().filter(({ page }) => !page.includes('['))),
        fc.constantFrom(...roles),
        fc.oneof(
          fc.constant(null),
          fc.jsonValue().filter((value) => typeof value !== 'object' || Array.isArray(value)),
        ),
        async ({ name }, role, input) => {
          const access = doors.get(name)
          const isHeld = access === 'public' || Boolean(access?.roles.includes(role))
          const answer = verdict(await submit(world, name, input, { jar: jars.get(role)?.copy() ?? assert.fail() }))
          assert.equal(answer, isHeld ? 'invalid_input' : 'forbidden', `${name} as ${role}`)
        },
      ),
      { examples: [] },
    )
    return `tables: ${anyTable}; ${Object.keys(real).length} permissions of this app; doors: ${asked}`
  },
)
