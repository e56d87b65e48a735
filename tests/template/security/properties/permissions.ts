import assert from 'node:assert/strict'
import fc from 'fast-check'
import { findEntryPoints } from '../../../app/matrix/entry-points.ts'
import { submitAction } from '../../../app/support/call-action.ts'
import { check } from '../../../app/support/checks.ts'
import { guardedActions, verdict } from '../../../app/support/server-actions.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

type Role = 'viewer' | 'editor' | 'admin'
const roles: Role[] = ['viewer', 'editor', 'admin']
const someRoles = fc.subarray(roles)

check(
  'P-13',
  'a role may do exactly what the permission table says, and a lower role never more than a higher one',
  async (world) => {
    const [{ authorize, definePolicy, isAllowed }, { modules }] = await importAppCode<
      [typeof import('../../../../src/core/auth/policy.ts'), typeof import('../../../../src/modules.ts')]
    >(world, 'src/core/auth/policy.ts', 'src/modules.ts')
    const tableSummary = await assertProperty(
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
          const isGranted = (table[permission] as string[]).includes(role)
          assert.equal(isAllowed(role as Role, can(permission)), isGranted)
          assert.equal(isAllowed(undefined, can(permission)), false)
          const caller = { role: role as Role }
          if (isGranted) assert.equal(authorize(caller, can(permission)), caller)
          else assert.throws(() => authorize(caller, can(permission)), { code: 'forbidden' })
          assert.throws(() => authorize(null, can(permission)), { code: 'unauthenticated' })
          // A permission that is not in the table is granted to no role.
          assert.equal(
            isAllowed(role as Role, can(`${permission}?` as typeof permission)),
            `${permission}?` in table && isGranted,
          )
        },
      ),
      { examples: [] },
    )

    const real: Record<string, readonly Role[] | { roles: readonly Role[] }> = Object.assign(
      {},
      ...modules.map(({ permissions }) => permissions ?? {}),
    )
    for (const [permission, granted] of Object.entries(real)) {
      const grantedRoles = 'roles' in granted ? granted.roles : granted
      assert.ok(
        !grantedRoles.includes('viewer') || grantedRoles.includes('editor'),
        `${permission}: viewers, but not editors`,
      )
      assert.ok(
        !grantedRoles.includes('editor') || grantedRoles.includes('admin'),
        `${permission}: editors, but not admins`,
      )
    }

    // The actions themselves, called at random. The input is invalid, so none of them does anything.
    const accessByAction = new Map((await findEntryPoints()).map(({ name, access }) => [name, access]))
    const jars = new Map(
      await Promise.all(roles.map(async (role) => [role, (await world.newSession({ role })).jar] as const)),
    )
    const actionSummary = await assertProperty(
      'P-13',
      fc.asyncProperty(
        fc.constantFrom(...guardedActions().filter(({ page }) => !page.includes('['))),
        fc.constantFrom(...roles),
        fc.oneof(
          fc.constant(null),
          fc.jsonValue().filter((value) => typeof value !== 'object' || Array.isArray(value)),
        ),
        async ({ name }, role, input) => {
          const access = accessByAction.get(name)
          const isGranted = access === 'public' || Boolean(access?.roles.includes(role))
          const outcome = verdict(
            await submitAction(world, name, input, { jar: jars.get(role)?.copy() ?? assert.fail() }),
          )
          // Decided in a scope, and the input names none.
          const isMissing = access !== 'public' && access?.where === 'scope'
          const refusal = isMissing ? 'not_found' : 'forbidden'
          assert.equal(outcome, isGranted && !isMissing ? 'invalid_input' : refusal, `${name} as ${role}`)
        },
      ),
      { examples: [] },
    )
    return `tables: ${tableSummary}; ${Object.keys(real).length} permissions of this app; actions: ${actionSummary}`
  },
)
