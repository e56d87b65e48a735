import { Building2, Check, ChevronsUpDown, List, MailOpen, Plus } from 'lucide-react'
import Link from 'next/link'
import { appName } from '@/brand'
import { isAllowed } from '@/core/auth/policy'
import { roleLabel } from '@/core/auth/roles'
import { log } from '@/core/log'
import type { ShellTop } from '@/core/module-ui'
import { scopePagesFor } from '@/core/search/commands'
import { Menu, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { findPendingInvitations } from '../invitations'
import { findOwnOrganizations, maxInSwitcher, type OwnOrganization } from '../organizations'
import { can } from '../policy'
import { OrganizationMark } from './organization-mark'
import { SwitchLink } from './switch-link'

/** At the top of the sidebar: the open organization, and the way to others. Links in a popover, so it needs no JavaScript. */
export const Switcher: ShellTop = async ({ actor, scope }) => {
  // The page is more important than the list of other organizations.
  const [organizations, invitations] = await Promise.all([
    findOwnOrganizations(actor.id),
    findPendingInvitations(actor.id),
  ]).catch((error): [OwnOrganization[], Awaited<ReturnType<typeof findPendingInvitations>>] => {
    log.warn({ error }, 'could not load the organizations of the user')
    return [[], []]
  })
  if (!scope && organizations.length === 0 && invitations.length === 0) return null
  const current = organizations.find(({ id }) => id === scope?.id) ?? scope
  return (
    <Menu
      id="organization-menu"
      label="Organizations"
      isNamedByTrigger
      position="below start"
      className="w-64"
      triggerClassName="mt-1.5 flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-start hover:bg-hover"
      trigger={
        <>
          {current ? (
            <OrganizationMark organization={current} />
          ) : (
            <span className="grid size-7 shrink-0 place-items-center rounded-md bg-secondary text-muted-foreground">
              <Building2 aria-hidden="true" className="size-4" strokeWidth={1.75} />
            </span>
          )}
          <span data-slot="sidebar-label" className="min-w-0 flex-1">
            <span className="block truncate font-medium text-[0.8125rem] leading-4.25">{scope?.name ?? appName}</span>
            <span className="block truncate text-muted-foreground text-xs">
              {scope ? roleLabel(scope.role) : 'No organization'}
            </span>
          </span>
          <span className="sr-only">Switch organization</span>
          <ChevronsUpDown
            data-slot="sidebar-label"
            aria-hidden="true"
            className="size-4 shrink-0 text-muted-foreground"
          />
        </>
      }
    >
      {invitations.map(({ id, organization }) => (
        <Link key={id} href={`/organizations/join/${id}`} prefetch={false} className={menuItemClass()}>
          <MailOpen aria-hidden="true" strokeWidth={1.75} />
          <span className="min-w-0 flex-1 truncate">{organization} invited you</span>
          <span className="text-muted-foreground text-xs">View</span>
        </Link>
      ))}
      {invitations.length > 0 && <MenuSeparator />}
      <Link href="/dashboard" prefetch={false} aria-current={scope ? undefined : 'true'} className={menuItemClass()}>
        <Building2 aria-hidden="true" strokeWidth={1.75} />
        <span className="min-w-0 flex-1 truncate">{appName}</span>
        {!scope && <Check aria-hidden="true" />}
      </Link>
      {organizations.slice(0, maxInSwitcher).map((organization) => (
        <SwitchLink
          key={organization.id}
          slug={organization.slug}
          pages={scopePagesFor(organization).map(({ href }) => href.replace(`/o/${organization.slug}`, ''))}
          isCurrent={organization.id === scope?.id}
          className={menuItemClass()}
        >
          <OrganizationMark organization={organization} className="size-5 text-[0.5625rem]" />
          <span className="min-w-0 flex-1 truncate">{organization.name}</span>
          {organization.id === scope?.id && <Check aria-hidden="true" />}
        </SwitchLink>
      ))}
      <MenuSeparator />
      {isAllowed(actor.role, can('organizations.create')) && (
        <Link href="/organizations/new" prefetch={false} className={menuItemClass()}>
          <Plus aria-hidden="true" strokeWidth={1.75} />
          Create organization
        </Link>
      )}
      <Link href="/organizations" prefetch={false} className={menuItemClass()}>
        <List aria-hidden="true" strokeWidth={1.75} />
        {organizations.length > maxInSwitcher ? 'All organizations' : 'Manage organizations'}
      </Link>
    </Menu>
  )
}
