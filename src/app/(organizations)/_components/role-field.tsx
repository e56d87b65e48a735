import { type Role, roleLabel, roles } from '@/core/auth/roles'
import { SelectField } from '@/core/ui/form'

/** What a role can do in an organization. */
const meanings: Partial<Record<Role, string>> = {
  viewer: 'Can see the organization and its members',
  editor: 'Can also change what belongs to the organization',
  admin: 'Can also manage members and settings',
}

/** A select for a role in an organization, with what each one can do. */
export function RoleField({ selected }: { selected: Role }) {
  return (
    <div className="grid gap-3">
      <SelectField label="Role" name="role" defaultValue={selected}>
        {roles.map((role) => (
          <option key={role} value={role}>
            {roleLabel(role)}
          </option>
        ))}
      </SelectField>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
        {roles.map((role) => (
          <div key={role} className="contents">
            <dt className="font-medium">{roleLabel(role)}</dt>
            <dd className="text-muted-foreground">{meanings[role]}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
