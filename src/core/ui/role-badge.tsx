import { Eye, type LucideIcon, Pencil, ShieldUser, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { findRole, isAdminRole, type Role, type RoleIcon, roleLabel } from '../auth/roles'
import { Badge } from './surface'

export const roleIcons: Record<RoleIcon, LucideIcon> = { eye: Eye, pencil: Pencil, shield: ShieldUser, user: UserRound }

/** A role. A list may bring an `icon` that it has drawn once for all rows. */
export function RoleBadge({ role, icon }: { role: Role; icon?: ReactNode }) {
  const Icon = roleIcons[findRole(role)?.icon ?? 'user']
  return (
    <Badge tone={isAdminRole(role) ? 'accent' : 'neutral'}>
      {icon ?? <Icon aria-hidden="true" strokeWidth={1.75} />}
      {roleLabel(role)}
    </Badge>
  )
}
