import { notFound } from 'next/navigation'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { UserPage } from '../../../../_components/user-page'
import { readList } from '../../../../list-url'
import { can } from '../../../../policy'
import { findUserPage, findWalk, moduleTabsFor, requireUserId, userMetadata, userPath } from '../../../../user-page'

export const generateMetadata = userMetadata

const Query = z.object({ before: z.string().max(200).optional().catch(undefined) })

/** A tab that a module adds. */
export default async function UserTabPage({ params, searchParams }: PageProps<'/admin/users/[id]/[tab]'>) {
  const { id, tab: slug } = await params
  const { list: givenList, ...query } = await searchParams
  const list = readList(givenList)
  const path = userPath(id, slug, list?.url)
  const actor = await requirePermission(can('users.read'), path)
  requireUserId(id)
  const tab = moduleTabsFor(actor).find((one) => one.slug === slug)
  if (!tab) notFound()
  const [data, Tab, walk] = await Promise.all([findUserPage(actor, id), tab.load(), findWalk(actor, id, slug, list)])
  const { before } = Query.parse(query)
  return (
    <UserPage data={data} current={slug} path={path} walk={walk}>
      <Tab userId={id} path={path} before={before} />
    </UserPage>
  )
}
