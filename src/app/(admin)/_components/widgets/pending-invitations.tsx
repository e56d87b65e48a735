import Link from 'next/link'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { Badge, TitledCard } from '@/core/ui/surface'
import { findInvitations } from '../../invitations'

const shownInvitations = 4

export async function PendingInvitationsWidget() {
  const invitations = await findInvitations(shownInvitations)
  if (invitations.length === 0) return null
  return (
    <TitledCard
      title="Pending invitations"
      after={
        <Link href="/admin/invitations" prefetch={false} className="hover:text-foreground">
          Invitations
        </Link>
      }
    >
      <ul className="divide-y px-4.5 pt-1 pb-2 text-sm">
        {invitations.map(({ id, email, role, sentAt, isValid }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-2">
            <span className="wrap-anywhere min-w-0">
              {email}
              <span className="block text-muted-foreground text-xs">
                Invited <RelativeTime at={sentAt} />
              </span>
            </span>
            {isValid ? <RoleBadge role={role} /> : <Badge tone="danger">Expired</Badge>}
          </li>
        ))}
      </ul>
    </TitledCard>
  )
}
