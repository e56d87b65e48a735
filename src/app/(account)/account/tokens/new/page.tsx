import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { NewTokenDialog } from '../../../_components/token-dialog'

export const metadata = { title: 'Create a token' }

export default async function CreateTokenPage() {
  const { role } = await requirePermission(signedIn, '/account/tokens/new')
  return <NewTokenDialog frame="page" role={role} />
}
