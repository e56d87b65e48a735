import { defaultRole, isAtMost, type Role, roleTable } from '@/core/auth/roles'
import { getActor } from '@/core/auth/session/actor'
import { SelectField } from '@/core/ui/form'

/** A select for a role, with what each one can do. The actions reject a role above that of the caller. */
export async function RoleField({ selected, hint }: { selected: Role; hint?: string | undefined }) {
  const actor = await getActor()
  const choices = roleTable.filter(({ name }) => isAtMost(name, actor?.role ?? defaultRole))
  return (
    <div className="grid gap-3">
      <SelectField label="Role" name="role" defaultValue={selected} hint={hint}>
        {choices.map(({ name, label }) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </SelectField>
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-xs">
        {choices.map(({ name, label, meaning }) => (
          <div key={name} className="contents">
            <dt className="font-medium">{label}</dt>
            <dd className="text-muted-foreground">{meaning}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
