import { requirePermission } from '@/core/auth/session/actor'
import { PostsDialog } from '../../../_components/list/posts-dialog'
import { can } from '../../../policy'

export default async function DeletePostsDialog({ searchParams }: PageProps<'/content/delete'>) {
  const actor = await requirePermission(can('posts.delete'), '/content')
  return <PostsDialog act="delete" frame="dialog" actor={actor} query={await searchParams} />
}
