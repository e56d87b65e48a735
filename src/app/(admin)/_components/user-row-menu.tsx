'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { MenuPopover, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { RowIcon, type RowIconName } from './row-icon'
import { rowMenuId } from './row-menu-id'

interface MenuUser {
  id: string
  label: string
  isSelf: boolean
  isAdmin: boolean
  isSuspended: boolean
}

function userOf({ ariaLabel, dataset }: HTMLElement): MenuUser {
  const is = dataset.is?.split(' ') ?? []
  return {
    id: dataset.user ?? '',
    label: ariaLabel ?? '',
    isSelf: is.includes('self'),
    isAdmin: is.includes('admin'),
    isSuspended: is.includes('suspended'),
  }
}

/** The menu of the row whose `RowMenuButton` was clicked. `from` is the list to return to. */
export function UserRowMenu({ from }: { from: string }) {
  const [user, setUser] = useState<MenuUser | null>(null)
  useEffect(() => {
    let anchor: HTMLElement | null = null
    const showActionsOf = (target: EventTarget | null) => {
      const button = target instanceof Element && target.closest<HTMLElement>(`[popovertarget="${rowMenuId}"]`)
      if (!button) return
      anchor?.style.removeProperty('anchor-name')
      anchor = button
      anchor.style.setProperty('anchor-name', `--${rowMenuId}`)
      setUser(userOf(button))
    }
    // The button was clicked before this script ran.
    showActionsOf(document.activeElement)
    // At once: the browser opens the menu after this listener.
    const onClick = ({ target }: MouseEvent) => flushSync(() => showActionsOf(target))
    document.addEventListener('click', onClick, true)
    return () => document.removeEventListener('click', onClick, true)
  }, [])
  return (
    <MenuPopover id={rowMenuId} label={user?.label ?? 'Actions'} className="w-60">
      {user && <UserActions user={user} from={from} />}
    </MenuPopover>
  )
}

/**
 * What an admin can do with a user. Each item opens a page that asks for confirmation. What is not possible stays visible,
 * with the reason: the actions check it again, and also that an admin is left.
 */
function UserActions({ user: { id, isSelf, isAdmin, isSuspended }, from }: { user: MenuUser; from: string }) {
  const path = `/admin/users/${id}`
  const item = (page: string, icon: RowIconName, label: string, reason?: string | false, isDanger = false) =>
    reason ? (
      <div className="menu-item menu-item-disabled">
        <RowIcon name={icon} />
        <span>
          {label}
          <span className="block text-xs">{reason}</span>
        </span>
      </div>
    ) : (
      <DialogItem href={`${path}/${page}?from=${encodeURIComponent(from)}`} icon={icon} isDanger={isDanger}>
        {label}…
      </DialogItem>
    )
  const needsRestore = isSuspended && 'Restore this user first'
  return (
    <>
      <a href={path} className={menuItemClass()}>
        <RowIcon name="profile" />
        View profile
      </a>
      {item('role', 'role', 'Change role')}
      {item('reset', 'reset', 'Send password reset', needsRestore)}
      {item('impersonate', 'impersonate', 'Impersonate', needsRestore || (isAdmin && 'Admins can’t be impersonated'))}
      <MenuSeparator />
      {item('sign-out', 'signOut', 'Sign out everywhere')}
      {isSuspended
        ? item('restore', 'restore', 'Restore')
        : item('suspend', 'suspend', 'Suspend', isSelf && 'You can’t suspend yourself')}
      {item('delete', 'delete', 'Delete', isSelf && 'Delete your own account in Settings', true)}
    </>
  )
}

/** A plain link: `MenuNavigation` makes it a client-side navigation. */
function DialogItem({
  href,
  icon,
  isDanger,
  children,
}: {
  href: string
  icon: RowIconName
  isDanger: boolean
  children: ReactNode
}) {
  return (
    <a href={href} data-keep-scroll="" className={menuItemClass({ isDanger })}>
      <RowIcon name={icon} />
      {children}
    </a>
  )
}
