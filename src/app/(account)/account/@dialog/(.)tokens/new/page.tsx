import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { NewTokenDialog } from '../../../../_components/token-dialog'

export default async function CreateTokenDialog() {
  const { role } = await requirePermission(signedIn, '/account/tokens/new')
  return <NewTokenDialog frame="dialog" role={role} />
}
