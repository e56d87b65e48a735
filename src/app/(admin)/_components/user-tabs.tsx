import type { Route } from 'next'
import { Tabs } from '@/core/ui/tabs'
import { changedListUrl } from '../list-url'
import { type countTabs, formatCount, type Tab } from '../user-counts'
import type { PageQuery } from '../user-query'

/** The lists of users by their status, and the list of invitations. */
export function UserTabs({
  current,
  query = {},
  counts,
}: {
  current: Tab
  query?: PageQuery
  counts: Awaited<ReturnType<typeof countTabs>>['tabs']
}) {
  const tab = (name: Tab, label: string, href: Route) => ({
    label,
    href,
    isCurrent: name === current,
    count: counts[name] && formatCount(counts[name]),
  })
  return (
    <Tabs
      label="Status"
      tabs={[
        tab('all', 'All', changedListUrl(query, { status: undefined })),
        tab('active', 'Active', changedListUrl(query, { status: 'active' })),
        tab('suspended', 'Suspended', changedListUrl(query, { status: 'suspended' })),
        tab('invited', 'Invited', '/admin/invitations'),
      ]}
    />
  )
}
