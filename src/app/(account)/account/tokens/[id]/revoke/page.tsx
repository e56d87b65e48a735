import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { RevokeTokenDialog } from '../../../../_components/token-dialog'

export const metadata = { title: 'Revoke token' }

export default async function RevokePage({ params }: PageProps<'/account/tokens/[id]/revoke'>) {
  const { id } = await params
  const actor = await requirePermission(signedIn, `/account/tokens/${id}/revoke`)
  return <RevokeTokenDialog frame="page" id={id} userId={actor.id} />
}
