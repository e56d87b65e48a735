import { Search, Users } from 'lucide-react'
import Link from 'next/link'
import { isAllowed } from '@/core/auth/policy'
import { roleLabel, roles } from '@/core/auth/roles'
import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { Button, buttonVariants } from '@/core/ui/button'
import { cn } from '@/core/ui/cn'
import { inputClass } from '@/core/ui/control'
import { Input } from '@/core/ui/input'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { EmptyState } from '@/core/ui/surface'
import { MemberTable } from '../../../_components/member-table'
import { MembersPage } from '../../../_components/members-page'
import { listMembers, MemberQuery } from '../../../members'
import { can } from '../../../policy'

export const metadata = { title: 'Members' }

export default async function OrganizationMembersPage({ params, searchParams }: PageProps<'/o/[scope]/members'>) {
  const { scope } = await params
  const actor = await requirePermission(can('members.read'), `/o/${scope}/members`, scope)
  const query = MemberQuery.parse(await searchParams)
  const { members, older } = await listMembers(actor, query)
  const path = scopePath(actor.scope, '/members')
  return (
    <MembersPage actor={actor} current="members">
      <search className="mb-3 block">
        <form action={path} className="flex flex-wrap gap-2">
          <Input
            type="search"
            name="search"
            aria-label="Search members"
            placeholder="Search members"
            defaultValue={query.search}
            maxLength={100}
            data-slot="page-search"
            className="max-w-64"
          />
          <select
            name="role"
            aria-label="Role"
            defaultValue={query.role ?? ''}
            className={cn(inputClass, 'w-auto pe-8')}
          >
            <option value="">All roles</option>
            {roles.map((role) => (
              <option key={role} value={role}>
                {roleLabel(role)}
              </option>
            ))}
          </select>
          <Button type="submit" variant="outline">
            <Search aria-hidden="true" />
            Search
          </Button>
        </form>
      </search>
      {members.length === 0 ? (
        <EmptyState icon={Users} title="No members found">
          Try another name or role.
        </EmptyState>
      ) : (
        <MemberTable
          members={members}
          slug={actor.scope.slug}
          actorId={actor.id}
          canManage={isAllowed(actor.role, can('members.change_role'))}
        />
      )}
      {older && (
        <p className="mt-3">
          <Link
            href={pathWithQuery(path, { search: query.search, role: query.role, before: older })}
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Next page
          </Link>
        </p>
      )}
    </MembersPage>
  )
}
