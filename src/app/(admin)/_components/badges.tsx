import { Badge, StatusDot } from '@/core/ui/surface'

export function StatusBadge({ isSuspended }: { isSuspended: boolean }) {
  return isSuspended ? <Badge tone="danger">Suspended</Badge> : <Badge tone="success">Active</Badge>
}

/** The status of a user in a list. A suspension matters more than an unverified email. */
export function UserStatus({ status, isVerified }: { status: 'active' | 'suspended'; isVerified: boolean }) {
  if (status === 'suspended') return <StatusDot tone="danger">Suspended</StatusDot>
  return isVerified ? <StatusDot tone="success">Active</StatusDot> : <StatusDot tone="warning">Unverified</StatusDot>
}
