import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { RevokeTokenDialog } from '../../../../../_components/token-dialog'

export default async function RevokeDialog({ params }: PageProps<'/account/tokens/[id]/revoke'>) {
  const { id } = await params
  const actor = await requirePermission(signedIn, `/account/tokens/${id}/revoke`)
  return <RevokeTokenDialog frame="dialog" id={id} userId={actor.id} />
}
