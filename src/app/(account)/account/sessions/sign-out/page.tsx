import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { EndOtherSessionsDialog } from '../../../_components/session-dialog'

export const metadata = { title: 'Sign out other sessions' }

export default async function SignOutOthersPage() {
  const actor = await requirePermission(signedIn, '/account/sessions/sign-out')
  return <EndOtherSessionsDialog frame="page" userId={actor.id} />
}
