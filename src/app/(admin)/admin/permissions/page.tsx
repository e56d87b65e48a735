import { Check, Minus } from 'lucide-react'
import { type DecidedIn, describeEntry } from '@/core/auth/policy'
import { type Role, roleLabel, roles } from '@/core/auth/roles'
import { requirePermission } from '@/core/auth/session/actor'
import { Page } from '@/core/ui/page'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { moduleUis } from '@/module-uis'
import { modules } from '@/modules'
import { findScopeProvider } from '@/scope-provider'
import { capitalize } from '../../capitalize'
import { can } from '../../policy'

export const metadata = { title: 'Roles & permissions' }

/** Rendered from the permissions that the guards check, so that it cannot differ from them. */
export default async function PermissionsPage() {
  await requirePermission(can('users.read'), '/admin/permissions')
  const permissions = modules.flatMap((module) =>
    Object.entries(module.permissions ?? {}).map(([permission, entry]) => [permission, describeEntry(entry)] as const),
  )
  const scopeProvider = findScopeProvider()
  const areas = Map.groupBy(permissions, ([permission]) => permission.split('.')[0] ?? '')
  const meanings = Object.assign({}, ...moduleUis.map((ui) => ui.permissions)) as Record<string, string>
  return (
    <Page
      title="Roles & permissions"
      crumbs={[{ label: 'Admin', href: '/admin/overview' }]}
      lead="What each role can do. Permissions are defined in code, in each module’s policy.ts."
    >
      <Table label="Permissions by role" className="min-w-md">
        <TableHead>
          <tr>
            <TableHeading>Permission</TableHeading>
            {scopeProvider && <TableHeading className="w-44">Decided by</TableHeading>}
            {roles.map((role) => (
              <TableHeading key={role} className="w-24 text-center">
                {roleLabel(role)}
              </TableHeading>
            ))}
          </tr>
        </TableHead>
        {[...areas].map(([area, rows]) => (
          <TableBody key={area} className="border-b last:border-b-0">
            <tr>
              <th
                scope="rowgroup"
                colSpan={roles.length + (scopeProvider ? 2 : 1)}
                className="h-9 bg-muted/60 px-3 text-start font-[550] text-[0.8125rem]"
              >
                {capitalize(area)}
              </th>
            </tr>
            {rows.map(([permission, { where, roles: holders }]) => (
              <TableRow key={permission}>
                <th scope="row" className="px-3 py-2 text-start font-normal">
                  <span className="block">{meanings[permission] ?? permission}</span>
                  <code className="block font-mono text-muted-foreground text-xs">{permission}</code>
                </th>
                {scopeProvider && (
                  <TableCell className="text-muted-foreground">
                    {decidedInLabel(where, scopeProvider.noun.one)}
                  </TableCell>
                )}
                {roles.map((role) => (
                  <TableCell key={role} className="text-center">
                    <Holds role={role} holders={holders} />
                  </TableCell>
                ))}
              </TableRow>
            ))}
          </TableBody>
        ))}
      </Table>
    </Page>
  )
}

const decidedInLabel = (where: DecidedIn, noun: string) =>
  ({ app: 'Role in the app', scope: `Role in the ${noun}`, 'scope or app': `Role in the ${noun}, or in the app` })[
    where
  ]

function Holds({ role, holders }: { role: Role; holders: readonly Role[] }) {
  const isHolder = holders.includes(role)
  const Icon = isHolder ? Check : Minus
  return (
    <>
      <Icon
        aria-hidden="true"
        className={`inline size-4 ${isHolder ? 'text-success-text' : 'text-faint'}`}
        strokeWidth={isHolder ? 2.25 : 1.75}
      />
      <span className="sr-only">{isHolder ? 'Yes' : 'No'}</span>
    </>
  )
}
