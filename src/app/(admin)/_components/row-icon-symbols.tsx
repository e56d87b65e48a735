import {
  Ban,
  Ellipsis,
  LogOut,
  type LucideIcon,
  Mail,
  RotateCcw,
  ShieldHalf,
  Trash2,
  UserRound,
  VenetianMask,
} from 'lucide-react'
import { roleIcons } from '@/core/ui/role-badge'
import type { RowIconName } from './row-icon'

const icons: Record<RowIconName, LucideIcon> = {
  ...roleIcons,
  more: Ellipsis,
  profile: UserRound,
  role: ShieldHalf,
  reset: Mail,
  impersonate: VenetianMask,
  signOut: LogOut,
  suspend: Ban,
  restore: RotateCcw,
  delete: Trash2,
}

/** The icons of the rows and of their menu, once for all rows. */
export function RowIconSymbols() {
  return (
    <svg aria-hidden="true" className="hidden">
      {Object.entries(icons).map(([name, Icon]) => (
        <symbol key={name} id={`row-icon-${name}`} viewBox="0 0 24 24">
          <Icon strokeWidth={1.75} />
        </symbol>
      ))}
    </svg>
  )
}
