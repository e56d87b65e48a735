import type { Role } from '@/core/auth/policy'
import { Badge } from '@/core/ui/surface'

export function RoleBadge({ role }: { role: Role }) {
  return <Badge tone={role === 'admin' ? 'warning' : 'neutral'}>{role}</Badge>
}

export function StatusBadge({ isSuspended }: { isSuspended: boolean }) {
  return isSuspended ? <Badge tone="danger">suspended</Badge> : <Badge tone="success">active</Badge>
}
