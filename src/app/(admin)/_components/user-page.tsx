import type { Route } from 'next'
import type { ReactNode } from 'react'
import { Page } from '@/core/ui/page'
import { Tabs } from '@/core/ui/tabs'
import { type UserPageData, userPath, type Walk } from '../user-page'
import { StepLink } from './step-link'
import { UserHeader } from './user-header'

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
  /** Of the current page with its query. */
  path: Route
  walk: Walk | null
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
            <StepLink to="previous" href={walk.previous} label="Previous user" keys="k" replace />
            <StepLink to="next" href={walk.next} label="Next user" keys="j" replace />
          </nav>
        )
      }
      heading={<UserHeader user={user} isSelf={isSelf} path={path} />}
    >
      <Tabs
        label={`Pages about ${user.name}`}
        tabs={tabs.map(({ slug, ...tab }) => ({
          ...tab,
          href: userPath(user.id, slug, walk?.list),
          isCurrent: slug === current,
        }))}
      />
      {children}
    </Page>
  )
}
