import { requirePermission } from '@/core/auth/session/actor'
import { DeleteImageDialog } from '../../../../_components/delete-image-dialog'
import { can } from '../../../../policy'

export const metadata = { title: 'Delete image' }

export default async function DeleteImagePage({ params }: PageProps<'/content/images/delete/[id]'>) {
  const { id } = await params
  const actor = await requirePermission(can('posts.delete'), `/content/images/delete/${id}`)
  return <DeleteImageDialog frame="page" actor={actor} id={id} />
}
