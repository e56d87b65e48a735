import Link from 'next/link'
import type { ReactNode } from 'react'
import { isAllowed } from '@/core/auth/policy'
import type { ScopedActor } from '@/core/auth/session/actor'
import { type Scope, scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { Tabs } from '@/core/ui/tabs'
import { can } from '../policy'

/** The frame of the pages of members and of invitations. */
export function MembersPage({
  actor,
  current,
  children,
}: {
  actor: ScopedActor & { scope: Scope }
  current: 'members' | 'invited'
  children: ReactNode
}) {
  const { slug, name } = actor.scope
  const canInvite = isAllowed(actor.role, can('members.invite'))
  return (
    <Page
      title={current === 'members' ? 'Members' : 'Invited'}
      lead={`Who has access to ${name}.`}
      primary={
        canInvite && (
          <Link href={scopePath({ slug }, '/members/invite')} className={buttonVariants()}>
            Invite members
          </Link>
        )
      }
    >
      {canInvite && (
        <Tabs
          label="Members"
          tabs={[
            { label: 'Members', href: scopePath({ slug }, '/members'), isCurrent: current === 'members' },
            { label: 'Invited', href: scopePath({ slug }, '/members/invited'), isCurrent: current === 'invited' },
          ]}
        />
      )}
      {children}
    </Page>
  )
}
