import { Ellipsis, ShieldUser, UserMinus } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'
import { DisabledMenuItem, Menu, menuItemClass } from '@/core/ui/menu'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { Avatar, Badge, StatusDot } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import type { MemberRow } from '../members'

/** A page of members. `canManage` shows what an admin can do with them. */
export function MemberTable({
  members,
  slug,
  actorId,
  canManage,
}: {
  members: MemberRow[]
  slug: string
  actorId: string
  canManage: boolean
}) {
  return (
    <Table label="Members" isList>
      <TableHead>
        <tr>
          <TableHeading>User</TableHeading>
          <TableHeading>Role</TableHeading>
          <TableHeading>Status</TableHeading>
          <TableHeading>Joined</TableHeading>
          <TableHeading className="w-12">
            <span className="sr-only">Actions</span>
          </TableHeading>
        </tr>
      </TableHead>
      <TableBody>
        {members.map((member) => (
          <TableRow key={member.id} className="max-sm:grid-cols-[minmax(0,1fr)_auto_auto]!">
            <TableCell>
              <div className="flex items-center gap-3">
                <Avatar id={member.id} name={member.name} image={member.image} />
                <div className="min-w-0 flex-1">
                  <span className="flex items-center gap-2 truncate font-medium leading-4.5">
                    {member.name}
                    {member.id === actorId && <Badge>You</Badge>}
                  </span>
                  <span className="block truncate text-[0.78125rem] text-muted-foreground leading-4.25">
                    {member.email}
                  </span>
                </div>
              </div>
            </TableCell>
            <TableCell>
              <RoleBadge role={member.role} />
            </TableCell>
            <TableCell data-hide="phone">
              <StatusDot tone={member.isSuspended ? 'danger' : 'success'}>
                {member.isSuspended ? 'Suspended' : 'Active'}
              </StatusDot>
            </TableCell>
            <TableCell data-hide="phone" className="whitespace-nowrap text-muted-foreground">
              <RelativeTime at={member.joinedAt} />
            </TableCell>
            <TableCell>{canManage && <MemberMenu member={member} slug={slug} />}</TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  )
}

/** What is not possible stays visible, with the reason. The actions check it again. */
function MemberMenu({ member: { id, name, isLastAdmin }, slug }: { member: MemberRow; slug: string }) {
  const path = `/o/${slug}/members/${id}`
  return (
    <Menu
      id={`member-${id}`}
      label={`Actions for ${name}`}
      trigger={<Ellipsis aria-hidden="true" />}
      triggerClassName={buttonVariants({ variant: 'ghost', size: 'icon', className: 'max-sm:size-11' })}
    >
      {isLastAdmin ? (
        <>
          <DisabledMenuItem icon={ShieldUser} reason="Last admin">
            Change role
          </DisabledMenuItem>
          <DisabledMenuItem icon={UserMinus} reason="Last admin">
            Remove
          </DisabledMenuItem>
        </>
      ) : (
        <>
          <Link href={`${path}/role` as Route} prefetch={false} className={menuItemClass()}>
            <ShieldUser aria-hidden="true" strokeWidth={1.75} />
            Change role…
          </Link>
          <Link href={`${path}/remove` as Route} prefetch={false} className={menuItemClass({ isDanger: true })}>
            <UserMinus aria-hidden="true" strokeWidth={1.75} />
            Remove…
          </Link>
        </>
      )}
    </Menu>
  )
}
