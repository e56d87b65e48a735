import { requirePermission } from '@/core/auth/session/actor'
import { DeleteImageDialog } from '../../../../../_components/delete-image-dialog'
import { can } from '../../../../../policy'

export default async function DeleteImageOverLibrary({ params }: PageProps<'/content/images/delete/[id]'>) {
  const { id } = await params
  const actor = await requirePermission(can('posts.delete'), `/content/images/delete/${id}`)
  return <DeleteImageDialog frame="dialog" actor={actor} id={id} />
}
