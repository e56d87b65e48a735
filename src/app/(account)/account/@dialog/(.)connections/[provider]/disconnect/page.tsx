import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { DisconnectDialog } from '../../../../../_components/sign-in-method-dialog'

export default async function DisconnectProviderDialog({
  params,
}: PageProps<'/account/connections/[provider]/disconnect'>) {
  const { provider: id } = await params
  const actor = await requirePermission(signedIn, `/account/connections/${id}/disconnect`)
  return <DisconnectDialog frame="dialog" id={id} userId={actor.id} />
}
