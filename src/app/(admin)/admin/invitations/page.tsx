import { Ellipsis, MailPlus, RotateCw, X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { z } from 'zod'
import { roleLabel } from '@/core/auth/roles'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { Menu, menuItemClass } from '@/core/ui/menu'
import { Page } from '@/core/ui/page'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { Alert, EmptyState, StatusDot } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { UserTabs } from '../../_components/user-tabs'
import { isOpenToInvited, listInvitations } from '../../invitations'
import { can } from '../../policy'
import { countTabs } from '../../user-counts'

export const metadata = { title: 'Invitations' }

const Query = z.object({
  before: z
    .templateLiteral([z.iso.datetime(), '_', z.uuid()])
    // PostgreSQL has no year 0.
    .refine((text) => !text.startsWith('0000'))
    .optional()
    .catch(undefined),
})

export default async function InvitationsPage({ searchParams }: PageProps<'/admin/invitations'>) {
  await requirePermission(can('users.invite'), '/admin/invitations')
  const { before } = Query.parse(await searchParams)
  const [{ invitations, older }, { tabs }] = await Promise.all([listInvitations(before), countTabs({})])
  const isOpen = isOpenToInvited()
  return (
    <Page
      title="Invitations"
      crumbs={[{ label: 'Users', href: '/admin/users' }]}
      lead="Invite people by email. Links work for 7 days."
      primary={isOpen && <InviteLink />}
    >
      <UserTabs current="invited" counts={tabs} />
      <div className="grid gap-4">
        {!isOpen && (
          <Alert tone="warning">Sign-up is closed. Set AUTH_SIGNUP to invite or open to send invitations.</Alert>
        )}
        {invitations.length === 0 ? (
          <EmptyState
            icon={MailPlus}
            title={before ? 'No older invitations' : 'No pending invitations'}
            action={isOpen && <InviteLink />}
          >
            People you invite appear here until they accept.
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
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} isOpen={isOpen} />
              ))}
            </TableBody>
          </Table>
        )}
        {(before || older) && (
          <nav aria-label="Pages" className="flex gap-2">
            {before && <PageLink href="/admin/invitations">Newest invitations</PageLink>}
            {older && (
              <PageLink href={pathWithQuery('/admin/invitations', { before: older })}>Older invitations</PageLink>
            )}
          </nav>
        )}
      </div>
    </Page>
  )
}

const PageLink = ({ href, children }: { href: Route; children: string }) => (
  <Link href={href} prefetch={false} className={buttonVariants({ variant: 'outline', size: 'small' })}>
    {children}
  </Link>
)

const InviteLink = () => (
  <Link href="/admin/invitations/new" className={buttonVariants()}>
    Invite users
  </Link>
)

function InvitationRow({
  invitation: { id, email, role, sentAt, isValid },
  isOpen,
}: {
  invitation: Awaited<ReturnType<typeof listInvitations>>['invitations'][number]
  isOpen: boolean
}) {
  return (
    <TableRow className="max-sm:grid-cols-[minmax(0,1fr)_auto]!">
      <TableCell>
        <div className="flex items-center gap-2.5">
          <span className="grid size-8 shrink-0 place-items-center rounded-full bg-secondary text-muted-foreground">
            <MailPlus aria-hidden="true" className="size-4" strokeWidth={1.75} />
          </span>
          <span className="wrap-anywhere min-w-0">
            <span className="font-medium">{email}</span>
            <span className="block text-muted-foreground text-xs sm:hidden">
              {roleLabel(role)} · {isValid ? 'Pending' : 'Expired'}
            </span>
          </span>
        </div>
      </TableCell>
      <TableCell data-hide="phone">
        <RoleBadge role={role} />
      </TableCell>
      <TableCell data-hide="phone">
        <StatusDot tone={isValid ? 'neutral' : 'danger'}>{isValid ? 'Pending' : 'Expired'}</StatusDot>
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
          {isOpen && (
            <Link href={`/admin/invitations/${id}/resend` as Route} prefetch={false} className={menuItemClass()}>
              <RotateCw aria-hidden="true" strokeWidth={1.75} />
              Resend…
            </Link>
          )}
          <Link
            href={`/admin/invitations/${id}/revoke` as Route}
            prefetch={false}
            className={menuItemClass({ isDanger: true })}
          >
            <X aria-hidden="true" strokeWidth={1.75} />
            Revoke…
          </Link>
        </Menu>
      </TableCell>
    </TableRow>
  )
}
