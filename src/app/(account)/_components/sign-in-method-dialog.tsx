import type { Route } from 'next'
import { DialogForm } from '@/core/ui/dialog-form'
import type { Crumb } from '@/core/ui/page'
import { disconnectProvider, removePasskey } from '../actions'
import { listPasskeys } from '../passkeys'
import { listIdentities } from '../sign-in-methods'

interface Props {
  frame: 'dialog' | 'page'
  id: string
  userId: string
}

const crumbsTo = (label: string, href: Route): Crumb[] => [
  { label: 'Settings', href: '/account' },
  { label: 'Security', href: '/account/security' },
  { label, href },
]

/** Removes a passkey of the user, who has been checked by the caller. */
export async function RemovePasskeyDialog({ frame, id, userId }: Props) {
  const list = '/account/passkeys'
  const passkey = (await listPasskeys(userId)).find((one) => one.id === id)
  return (
    <DialogForm
      frame={frame}
      path={`${list}/${id}/remove`}
      cancelHref={list}
      crumbs={crumbsTo('Passkeys', list)}
      title={passkey ? `Remove ${passkey.name}?` : 'Remove this passkey?'}
      consequences={[
        'You won’t be able to sign in with it.',
        'Delete it from your device or password manager, too: this app can’t.',
      ]}
      action={removePasskey}
      fields={{ id }}
      fieldNames={['id']}
      submit="Remove"
      isDangerous
      isSensitive
      reason={passkey ? undefined : 'This passkey no longer exists.'}
    />
  )
}

/** Disconnects a provider of the user, who has been checked by the caller. */
export async function DisconnectDialog({ frame, id, userId }: Props) {
  const list = '/account/connections'
  const identity = (await listIdentities(userId)).find((one) => one.id === id && one.since)
  return (
    <DialogForm
      frame={frame}
      path={`${list}/${id}/disconnect`}
      cancelHref={list}
      crumbs={crumbsTo('Connected accounts', list)}
      title={identity ? `Disconnect ${identity.name}?` : 'Disconnect this account?'}
      consequences={identity && [`You won’t be able to sign in with ${identity.name} until you connect it again.`]}
      action={disconnectProvider}
      fields={{ provider: id }}
      fieldNames={['provider']}
      submit="Disconnect"
      isDangerous
      isSensitive
      reason={identity ? undefined : 'This account isn’t connected.'}
    />
  )
}
