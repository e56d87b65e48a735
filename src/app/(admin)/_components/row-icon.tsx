import type { RoleIcon } from '@/core/auth/roles'

/** An icon of a row, or of the menu: `RowIconSymbols` draws it once for all rows. */
export function RowIcon({ name }: { name: RowIconName }) {
  return (
    <svg aria-hidden="true" className="size-3.75">
      <use href={`#row-icon-${name}`} />
    </svg>
  )
}

export type RowIconName =
  | RoleIcon
  | 'more'
  | 'profile'
  | 'role'
  | 'reset'
  | 'impersonate'
  | 'signOut'
  | 'suspend'
  | 'restore'
  | 'delete'
