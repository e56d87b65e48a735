import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { DisconnectDialog } from '../../../../_components/sign-in-method-dialog'

export const metadata = { title: 'Disconnect account' }

export default async function DisconnectAccountPage({
  params,
}: PageProps<'/account/connections/[provider]/disconnect'>) {
  const { provider: id } = await params
  const actor = await requirePermission(signedIn, `/account/connections/${id}/disconnect`)
  return <DisconnectDialog frame="page" id={id} userId={actor.id} />
}
