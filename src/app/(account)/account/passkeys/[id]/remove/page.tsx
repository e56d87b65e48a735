import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { RemovePasskeyDialog } from '../../../../_components/sign-in-method-dialog'

export const metadata = { title: 'Remove passkey' }

export default async function RemovePasskeyPage({ params }: PageProps<'/account/passkeys/[id]/remove'>) {
  const { id } = await params
  const actor = await requirePermission(signedIn, `/account/passkeys/${id}/remove`)
  return <RemovePasskeyDialog frame="page" id={id} userId={actor.id} />
}
