import { Building2, MailOpen } from 'lucide-react'
import Link from 'next/link'
import { isAllowed, signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { AppShell } from '@/core/ui/app-shell'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { Alert, EmptyState } from '@/core/ui/surface'
import { rowLinkClass, Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { OrganizationMark } from '../_components/organization-mark'
import { OrganizationsToast } from '../_components/organizations-toast'
import { formatCount } from '../format-count'
import { findPendingInvitations } from '../invitations'
import { listOwnOrganizations } from '../organizations'
import { can } from '../policy'

export const metadata = { title: 'Organizations' }

export default async function OrganizationsPage() {
  const actor = await requirePermission(signedIn, '/organizations')
  const [organizations, invitations] = await Promise.all([
    listOwnOrganizations(actor.id),
    findPendingInvitations(actor.id),
  ])
  const create = isAllowed(actor.role, can('organizations.create')) && (
    <Link href="/organizations/new" className={buttonVariants()}>
      Create organization
    </Link>
  )
  return (
    <AppShell>
      <Page title="Organizations" lead="Teams you belong to." primary={create}>
        <div className="grid gap-4">
          {invitations.map(({ id, organization, inviter }) => (
            <Alert key={id} className="flex flex-wrap items-center gap-3">
              <MailOpen aria-hidden="true" className="size-4" strokeWidth={1.75} />
              <p className="min-w-0 flex-1">
                {inviter} invited you to {organization}.
              </p>
              <Link
                href={`/organizations/join/${id}`}
                prefetch={false}
                className={buttonVariants({ variant: 'outline', size: 'small' })}
              >
                View<span className="sr-only"> the invitation to {organization}</span>
              </Link>
            </Alert>
          ))}
          {organizations.length === 0 ? (
            <EmptyState icon={Building2} title="Work with others" action={create}>
              Create an organization to share access with your team.
            </EmptyState>
          ) : (
            <Table label="Organizations" isList>
              <TableHead>
                <tr>
                  <TableHeading>Name</TableHeading>
                  <TableHeading>Role</TableHeading>
                  <TableHeading>Members</TableHeading>
                  <TableHeading>Joined</TableHeading>
                </tr>
              </TableHead>
              <TableBody>
                {organizations.map((organization) => (
                  <TableRow key={organization.id} className="max-sm:grid-cols-[minmax(0,1fr)_auto]!">
                    <TableCell>
                      <div className="flex items-center gap-3">
                        <OrganizationMark organization={organization} className="size-8" />
                        <Link
                          href={scopePath(organization, '/members')}
                          prefetch={false}
                          className={`min-w-0 truncate font-medium ${rowLinkClass}`}
                        >
                          {organization.name}
                        </Link>
                      </div>
                    </TableCell>
                    <TableCell>
                      <RoleBadge role={organization.role} />
                    </TableCell>
                    <TableCell data-hide="phone">{formatCount(organization.memberCount)}</TableCell>
                    <TableCell data-hide="phone" className="whitespace-nowrap text-muted-foreground">
                      <RelativeTime at={organization.joinedAt} />
                    </TableCell>
                  </TableRow>
                ))}
              </TableBody>
            </Table>
          )}
        </div>
      </Page>
      <OrganizationsToast />
    </AppShell>
  )
}
