import {
  BadgeCheck,
  Ban,
  Ellipsis,
  LogOut,
  Mail,
  RotateCcw,
  ShieldHalf,
  ShieldOff,
  Trash2,
  VenetianMask,
} from 'lucide-react'
import type { Route } from 'next'
import { isAdminRole } from '@/core/auth/roles'
import { buttonVariants } from '@/core/ui/button'
import { DisabledMenuItem, Menu, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { RelativeTime } from '@/core/ui/relative-time'
import { RoleBadge } from '@/core/ui/role-badge'
import { Avatar, Badge } from '@/core/ui/surface'
import type { UserDetails } from '../user-details'
import { StatusBadge } from './badges'
import { DialogLink, type UserDialog } from './dialog-link'

/** Why this user cannot be impersonated, or null. `startImpersonation` checks it again. */
function whyNotImpersonate({ role, suspendedAt }: UserDetails): string | null {
  if (isAdminRole(role)) return 'Admins can’t be impersonated'
  return suspendedAt ? 'Restore this user first' : null
}

interface HeaderProps {
  user: UserDetails
  isSelf: boolean
  /** Of the current page, to which the dialogs return. */
  path: Route
}

/** Who the user is, and what an admin can do about them. */
export function UserHeader({ user, isSelf, path }: HeaderProps) {
  const target = { userId: user.id, path }
  return (
    <div className="mb-3.5 flex flex-wrap items-center gap-x-4 gap-y-3">
      <Avatar id={user.id} name={user.name} image={user.image} className="size-14 text-xl" />
      <div className="min-w-0 flex-1 basis-48">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h1 className="wrap-anywhere font-semibold text-[1.3125rem] leading-7 tracking-[-0.018em]">{user.name}</h1>
          <RoleBadge role={user.role} />
          <StatusBadge isSuspended={user.suspendedAt !== null} />
          {!user.emailVerifiedAt && <Badge tone="warning">Unverified</Badge>}
          {isSelf && <Badge>You</Badge>}
        </div>
        <p className="flex flex-wrap items-center gap-x-1.5 text-muted-foreground text-sm">
          <span className="wrap-anywhere min-w-0">{user.email}</span>
          {user.emailVerifiedAt && (
            <span title="Verified" className="inline-flex text-success-text">
              <BadgeCheck aria-hidden="true" className="size-4" strokeWidth={1.75} />
              <span className="sr-only">Verified</span>
            </span>
          )}
          <span aria-hidden="true">·</span>
          {user.lastSeenAt ? (
            <span>
              Active <RelativeTime at={user.lastSeenAt} />
            </span>
          ) : (
            'Never signed in'
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {whyNotImpersonate(user) === null && (
          <DialogLink {...target} dialog="impersonate" className={buttonVariants({ variant: 'outline' })}>
            <VenetianMask aria-hidden="true" />
            Impersonate
          </DialogLink>
        )}
        <DialogLink {...target} dialog="role" className={buttonVariants({ variant: 'outline' })}>
          <ShieldHalf aria-hidden="true" />
          Change role
        </DialogLink>
        <UserMenu user={user} isSelf={isSelf} path={path} />
      </div>
    </div>
  )
}

/** Everything else. What is not possible stays visible, with the reason. */
function UserMenu({ user, isSelf, path }: HeaderProps) {
  const noImpersonation = whyNotImpersonate(user)
  const link = (dialog: UserDialog, isDanger = false) => ({
    userId: user.id,
    path,
    dialog,
    className: menuItemClass({ isDanger }),
  })
  return (
    <Menu
      id="user-actions"
      label="More actions"
      trigger={<Ellipsis aria-hidden="true" />}
      triggerClassName={buttonVariants({ variant: 'outline', size: 'icon' })}
      className="w-60"
    >
      {user.suspendedAt ? (
        <DisabledMenuItem icon={Mail} reason="Restore this user first">
          Send password reset
        </DisabledMenuItem>
      ) : (
        <DialogLink {...link('reset')}>
          <Mail aria-hidden="true" strokeWidth={1.75} />
          Send password reset…
        </DialogLink>
      )}
      {user.hasSecondFactor && !isSelf && (
        <DialogLink {...link('two-factor')}>
          <ShieldOff aria-hidden="true" strokeWidth={1.75} />
          Turn off two-factor…
        </DialogLink>
      )}
      {noImpersonation && (
        <DisabledMenuItem icon={VenetianMask} reason={noImpersonation}>
          Impersonate
        </DisabledMenuItem>
      )}
      {user.sessions.length > 0 ? (
        <DialogLink {...link('sign-out')}>
          <LogOut aria-hidden="true" strokeWidth={1.75} />
          Sign out everywhere…
        </DialogLink>
      ) : (
        <DisabledMenuItem icon={LogOut} reason="No active sessions">
          Sign out everywhere
        </DisabledMenuItem>
      )}
      <MenuSeparator />
      {isSelf ? (
        <>
          <DisabledMenuItem icon={Ban} reason="You can’t suspend yourself">
            Suspend
          </DisabledMenuItem>
          <DisabledMenuItem icon={Trash2} reason="Delete your own account in Settings">
            Delete
          </DisabledMenuItem>
        </>
      ) : (
        <>
          {user.suspendedAt ? (
            <DialogLink {...link('restore')}>
              <RotateCcw aria-hidden="true" strokeWidth={1.75} />
              Restore…
            </DialogLink>
          ) : (
            <DialogLink {...link('suspend')}>
              <Ban aria-hidden="true" strokeWidth={1.75} />
              Suspend…
            </DialogLink>
          )}
          <DialogLink {...link('delete', true)}>
            <Trash2 aria-hidden="true" strokeWidth={1.75} />
            Delete…
          </DialogLink>
        </>
      )}
    </Menu>
  )
}
