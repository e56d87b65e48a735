import { type Role, roleTable } from '@/core/auth/roles'
import { SelectField } from '@/core/ui/form'

/** A select for a role, with what each one can do. */
export function RoleField({ selected, hint }: { selected: Role; hint?: string | undefined }) {
  return (
    <div className="grid gap-3">
      <SelectField label="Role" name="role" defaultValue={selected} hint={hint}>
        {roleTable.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
        {roleTable.map(({ name, label, meaning }) => (
          <div key={name} className="contents">
            <dt className="font-medium">{label}</dt>
            <dd className="text-muted-foreground">{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
