import { Ellipsis, MailPlus, RotateCw, X } from 'lucide-react'
import Link from 'next/link'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { Menu, menuItemClass } from '@/core/ui/menu'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { EmptyState, StatusDot } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { MembersPage } from '../../../../_components/members-page'
import { listInvitations } from '../../../../invitations'
import { can } from '../../../../policy'

export const metadata = { title: 'Invited' }

export default async function InvitedPage({ params }: PageProps<'/o/[scope]/members/invited'>) {
  const { scope } = await params
  const actor = await requirePermission(can('members.invite'), `/o/${scope}/members/invited`, scope)
  const invitations = await listInvitations(actor)
  return (
    <MembersPage actor={actor} current="invited">
      {invitations.length === 0 ? (
        <EmptyState icon={MailPlus} title="No pending invitations">
          Users you invite appear here until they accept.
        </EmptyState>
      ) : (
        <Table label="Invitations" isList>
          <TableHead>
            <tr>
              <TableHeading>Email</TableHeading>
              <TableHeading>Role</TableHeading>
              <TableHeading>Status</TableHeading>
              <TableHeading>Invited</TableHeading>
              <TableHeading className="w-12">
                <span className="sr-only">Actions</span>
              </TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {invitations.map(({ id, email, role, sentAt, isFresh, isFromAdmin }) => (
              <TableRow key={id} className="max-sm:grid-cols-[minmax(0,1fr)_auto_auto]!">
                <TableCell className="wrap-anywhere font-medium">{email}</TableCell>
                <TableCell>
                  <RoleBadge role={role} />
                </TableCell>
                <TableCell data-hide="phone">
                  {isFresh && isFromAdmin ? (
                    <StatusDot tone="neutral">Pending</StatusDot>
                  ) : (
                    <StatusDot tone="danger">Expired</StatusDot>
                  )}
                </TableCell>
                <TableCell data-hide="phone" className="whitespace-nowrap text-muted-foreground">
                  <RelativeTime at={sentAt} />
                </TableCell>
                <TableCell>
                  <Menu
                    id={`invitation-${id}`}
                    label={`Actions for ${email}`}
                    trigger={<Ellipsis aria-hidden="true" />}
                    triggerClassName={buttonVariants({ variant: 'ghost', size: 'icon', className: 'max-sm:size-11' })}
                  >
                    <Link
                      href={scopePath(actor.scope, `/members/invited/${id}/resend`)}
                      prefetch={false}
                      className={menuItemClass()}
                    >
                      <RotateCw aria-hidden="true" strokeWidth={1.75} />
                      Resend…
                    </Link>
                    <Link
                      href={scopePath(actor.scope, `/members/invited/${id}/revoke`)}
                      prefetch={false}
                      className={menuItemClass({ isDanger: true })}
                    >
                      <X aria-hidden="true" strokeWidth={1.75} />
                      Revoke…
                    </Link>
                  </Menu>
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      )}
    </MembersPage>
  )
}
