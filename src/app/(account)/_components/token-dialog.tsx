import type { Route } from 'next'
import { defaultRole, type Role, roleLabel } from '@/core/auth/roles'
import { getTimeFormat } from '@/core/time/get-time-format'
import { Copyable } from '@/core/ui/copyable'
import { DialogForm } from '@/core/ui/dialog-form'
import { Field, ResultText, SelectField } from '@/core/ui/form'
import type { Crumb } from '@/core/ui/page'
import { Alert } from '@/core/ui/surface'
import { createApiToken, revokeApiToken } from '../actions'
import { findTokenName, lifetimes, rolesUpTo } from '../tokens'
import { TokenExample } from './token-example'

type Frame = 'dialog' | 'page'

const list = '/account/tokens'
const crumbs: Crumb[] = [
  { label: 'Settings', href: '/account' },
  { label: 'API tokens', href: list },
]
const frameProps = (frame: Frame, path: string) => ({ frame, path, crumbs, cancelHref: list as Route })

const dayMs = 24 * 60 * 60_000

/** Creates a token, and shows it once. */
export async function NewTokenDialog({ frame, role }: { frame: Frame; role: Role }) {
  const times = await getTimeFormat()
  return (
    <DialogForm
      {...frameProps(frame, `${list}/new`)}
      title="Create a token"
      action={createApiToken}
      submit="Create token"
      isSensitive
      done={{ title: 'Token created', content: <NewToken /> }}
    >
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        required
        hint="What is it for? For example: Deploy script"
        data-dialog-focus="field"
      />
      <SelectField label="Role" name="role" defaultValue={defaultRole} hint="A token can never do more than you can.">
        {rolesUpTo(role).map((one) => (
          <option key={one} value={one}>
            {roleLabel(one)}
          </option>
        ))}
      </SelectField>
      <SelectField label="Expiration" name="days" defaultValue={30}>
        {lifetimes.map((days) => (
          <option key={days} value={days}>
            {days} days (until {times.date(new Date(Date.now() + days * dayMs))})
          </option>
        ))}
      </SelectField>
    </DialogForm>
  )
}

function NewToken() {
  return (
    <>
      <Alert as="p" tone="success" role="status" tabIndex={-1}>
        Copy your token now. You won’t be able to see it again.
      </Alert>
      <Copyable className="w-full select-all break-all rounded-md bg-muted px-3 py-2 font-mono text-sm">
        <ResultText name="token" />
      </Copyable>
      <TokenExample />
    </>
  )
}

/** Revokes a token of the user, who has been checked by the caller. */
export async function RevokeTokenDialog({ frame, id, userId }: { frame: Frame; id: string; userId: string }) {
  const name = await findTokenName(userId, id)
  return (
    <DialogForm
      {...frameProps(frame, `${list}/${id}/revoke`)}
      title={name ? `Revoke ${name}?` : 'Revoke this token?'}
      consequences={['Scripts and integrations that use it stop working at once.', 'This can’t be undone.']}
      action={revokeApiToken}
      fields={{ id }}
      fieldNames={['id']}
      submit="Revoke"
      isDangerous
      reason={name ? undefined : 'This token no longer exists.'}
    />
  )
}
