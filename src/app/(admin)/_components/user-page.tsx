import type { ReactNode } from 'react'
import { Page } from '@/core/ui/page'
import { Tabs } from '@/core/ui/tabs'
import { type UserPageData, userPath } from '../user-page'
import { UserHeader } from './user-header'

/**
 * A page of a user: the header, the tabs, and one of them. Not a layout: the tabs must know which of them is current, and
 * the dialogs about a user are pages in the same folder.
 */
export function UserPage({
  data: { user, isSelf, moduleTabs },
  current,
  children,
}: {
  data: UserPageData
  /** The slug of the current tab; empty for the overview. */
  current: string
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
        { label: 'Users', href: '/admin/users' },
      ]}
      heading={<UserHeader user={user} isSelf={isSelf} tab={current} />}
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
