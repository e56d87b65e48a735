import { requirePermission } from '@/core/auth/actor'
import { roles } from '@/core/auth/policy'
import { Heading } from '@/core/ui/section'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { modules } from '@/modules'
import { can } from '../../policy'

export const metadata = { title: 'Permissions' }

/** The table that guards ask, as it is: nothing here is written down a second time. */
export default async function PermissionsPage() {
  await requirePermission(can('users.read'), '/admin/permissions')
  const owned = modules.filter(({ permissions }) => permissions && Object.keys(permissions).length > 0)
  return (
    <div className="grid gap-6">
      <Heading title="Permissions">
        Who may do what. Every page, action and endpoint asks this table at every request. It is part of the code: each
        module names its permissions in policy.ts. What needs no more than an account, such as changing one’s own
        password, is open to every role and not listed.
      </Heading>
      <Table label="Permissions by role">
        <TableHead>
          <tr>
            <TableHeading>Permission</TableHeading>
            <TableHeading>Module</TableHeading>
            {roles.map((role) => (
              <TableHeading key={role} className="text-center">
                {role}
              </TableHeading>
            ))}
          </tr>
        </TableHead>
        <TableBody>
          {owned.flatMap(({ title, permissions }) =>
            Object.entries(permissions ?? {}).map(([permission, holders]) => (
              <TableRow key={permission}>
                <th scope="row" className="px-4 py-3 font-mono font-normal text-sm">
                  {permission}
                </th>
                <TableCell className="text-muted-foreground">{title}</TableCell>
                {roles.map((role) => (
                  <TableCell key={role} className="text-center">
                    {holders.includes(role) ? 'yes' : <span className="text-muted-foreground">no</span>}
                  </TableCell>
                ))}
              </TableRow>
            )),
          )}
        </TableBody>
      </Table>
    </div>
  )
}
