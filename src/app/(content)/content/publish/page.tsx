import { requirePermission } from '@/core/auth/session/actor'
import { PostsDialog } from '../../_components/list/posts-dialog'
import type { ContentPageProps } from '../../page-props'
import { can } from '../../policy'
import { contentPath } from '../../require-posts'

export const metadata = { title: 'Publish posts' }

export default async function PublishPostsPage({ params, searchParams }: ContentPageProps) {
  const { scope } = await params
  const actor = await requirePermission(can('posts.publish'), contentPath(scope), scope)
  return <PostsDialog act="publish" frame="page" actor={actor} query={await searchParams} />
}
