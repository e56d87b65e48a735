import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { buttonVariants } from '@/core/ui/button'
import { Page } from '@/core/ui/page'
import { Tabs } from '@/core/ui/tabs'
import { type UserPageData, userPath } from '../user-page'
import { UserHeader } from './user-header'

export interface Walk {
  list: Route
  previous: Route | null
  next: Route | null
}

/**
 * A page of a user: the header, the tabs, and one of them. Not a layout: the tabs must know which of them is current, and
 * the dialogs about a user are pages in the same folder.
 */
export function UserPage({
  data: { user, isSelf, moduleTabs },
  current,
  path,
  walk,
  children,
}: {
  data: UserPageData
  /** The slug of the current tab; empty for the overview. */
  current: string
  /** Of the current page with its query; by default without. */
  path?: Route
  /** The list that it was opened from, and the pages of the users before and after. */
  walk?: Walk | null
  children: ReactNode
}) {
  const tabs = [
    { slug: '', label: 'Overview' },
    { slug: 'sessions', label: 'Sessions', count: user.sessions.length },
    { slug: 'activity', label: 'Activity' },
    ...moduleTabs,
  ]
  return (
    <Page
      title={user.name}
      crumbs={[
        { label: 'Admin', href: '/admin' },
        { label: 'Users', href: walk?.list ?? '/admin/users' },
      ]}
      tools={
        walk && (
          <nav aria-label="Users of the list" className="flex gap-1.5">
            <NeighborLink href={walk.previous} label="Previous user" keys="k" icon={ChevronLeft} />
            <NeighborLink href={walk.next} label="Next user" keys="j" icon={ChevronRight} />
          </nav>
        )
      }
      heading={<UserHeader user={user} isSelf={isSelf} path={path ?? userPath(user.id, current)} />}
    >
      <Tabs
        label={`Pages about ${user.name}`}
        tabs={tabs.map(({ slug, ...tab }) => ({
          ...tab,
          href: userPath(user.id, slug),
          isCurrent: slug === current,
        }))}
      />
      {children}
    </Page>
  )
}

function NeighborLink({
  href,
  label,
  keys,
  icon: Icon,
}: {
  href: Route | null
  label: string
  keys: string
  icon: typeof ChevronLeft
}) {
  const className = buttonVariants({ variant: 'outline', size: 'icon', className: 'max-lg:size-11 lg:size-7' })
  const content = (
    <>
      <Icon aria-hidden="true" className="rtl:-scale-x-100" />
      <span className="sr-only">{label}</span>
    </>
  )
  // Still there, so that the other button does not move.
  if (!href) return <span className={`${className} pointer-events-none opacity-45`}>{content}</span>
  return (
    <Link href={href} prefetch={false} replace title={label} aria-keyshortcuts={keys} className={className}>
      {content}
    </Link>
  )
}
