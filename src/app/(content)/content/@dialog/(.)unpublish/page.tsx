import { requirePermission } from '@/core/auth/session/actor'
import { PostsDialog } from '../../../_components/list/posts-dialog'
import { can } from '../../../policy'

export default async function UnpublishPostsDialog({ searchParams }: PageProps<'/content/unpublish'>) {
  const actor = await requirePermission(can('posts.publish'), '/content')
  return <PostsDialog act="unpublish" frame="dialog" actor={actor} query={await searchParams} />
}
