import { requirePermission } from '@/core/auth/session/actor'
import { PostsDialog } from '../../_components/list/posts-dialog'
import type { ContentPageProps } from '../../page-props'
import { can } from '../../policy'
import { contentPath } from '../../require-posts'

export const metadata = { title: 'Delete posts' }

export default async function DeletePostsPage({ params, searchParams }: ContentPageProps) {
  const { scope } = await params
  const actor = await requirePermission(can('posts.delete'), contentPath(scope), scope)
  return <PostsDialog act="delete" frame="page" actor={actor} query={await searchParams} />
}
