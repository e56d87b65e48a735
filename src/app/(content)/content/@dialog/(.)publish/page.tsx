import { requirePermission } from '@/core/auth/session/actor'
import { PostsDialog } from '../../../_components/list/posts-dialog'
import { can } from '../../../policy'

export default async function PublishPostsDialog({ searchParams }: PageProps<'/content/publish'>) {
  const actor = await requirePermission(can('posts.publish'), '/content')
  return <PostsDialog act="publish" frame="dialog" actor={actor} query={await searchParams} />
}
