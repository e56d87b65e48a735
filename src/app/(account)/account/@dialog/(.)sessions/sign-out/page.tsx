import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { EndOtherSessionsDialog } from '../../../../_components/session-dialog'

export default async function SignOutOthersDialog() {
  const actor = await requirePermission(signedIn, '/account/sessions/sign-out')
  return <EndOtherSessionsDialog frame="dialog" userId={actor.id} />
}
