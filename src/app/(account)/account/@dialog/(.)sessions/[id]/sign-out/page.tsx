import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { EndSessionDialog } from '../../../../../_components/session-dialog'

export default async function SignOutDialog({ params }: PageProps<'/account/sessions/[id]/sign-out'>) {
  const { id } = await params
  const actor = await requirePermission(signedIn, `/account/sessions/${id}/sign-out`)
  return <EndSessionDialog frame="dialog" id={id} userId={actor.id} />
}
