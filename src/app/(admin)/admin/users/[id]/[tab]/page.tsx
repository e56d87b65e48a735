import { notFound } from 'next/navigation'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { UserPage } from '../../../../_components/user-page'
import { can } from '../../../../policy'
import { findUserPage, moduleTabsFor, requireUserId, userMetadata, userPath } from '../../../../user-page'

export const generateMetadata = userMetadata

const Query = z.object({ before: z.string().max(200).optional().catch(undefined) })

/** A tab that a module adds. */
export default async function UserTabPage({ params, searchParams }: PageProps<'/admin/users/[id]/[tab]'>) {
  const { id, tab: slug } = await params
  const actor = await requirePermission(can('users.read'), userPath(id, slug))
  requireUserId(id)
  const tab = moduleTabsFor(actor).find((one) => one.slug === slug)
  if (!tab) notFound()
  const [data, Tab, query] = await Promise.all([findUserPage(actor, id), tab.load(), searchParams])
  const { before } = Query.parse(query)
  return (
    <UserPage data={data} current={slug}>
      <Tab userId={id} path={userPath(id, slug)} before={before} />
    </UserPage>
  )
}
