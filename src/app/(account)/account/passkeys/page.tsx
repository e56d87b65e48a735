import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { alertVariants, EmptyState } from '@/core/ui/surface'
import { AddPasskey } from '../../_components/passkey-button'
import { removePasskey, renamePasskey } from '../../actions'
import { needConfirmation } from '../../confirmation'
import { listPasskeys } from '../../passkeys'

export const metadata = { title: 'Passkeys' }

export default async function PasskeysPage() {
  const actor = await requireActor()
  await needConfirmation('/account/passkeys')
  const known = await listPasskeys(actor.id)
  return (
    <>
      <Heading title="Passkeys">
        Sign in with your fingerprint, your face, the PIN of your device or a security key, in place of a password.
      </Heading>
      {known.length === 0 ? (
        <EmptyState title="You have no passkeys">
          A passkey stays on your device or in your password manager. It cannot be guessed, and works on this site only.
        </EmptyState>
      ) : (
        <ul className="grid gap-3">
          {known.map(({ id, name, createdAt, lastUsedAt }) => (
            <li key={id} className="grid gap-4 rounded-lg border bg-card p-4">
              <p className="text-sm">
                <span className="block font-medium">{name}</span>
                <span className="text-muted-foreground">
                  Added <Moment at={createdAt} />, {lastUsedAt ? 'last used ' : 'never used'}
                  {lastUsedAt && <Moment at={lastUsedAt} />}
                </span>
              </p>
              <div className="flex flex-wrap items-end justify-between gap-4">
                <ActionForm action={renamePasskey} className="flex flex-wrap items-end gap-2">
                  <input type="hidden" name="id" value={id} />
                  <Field label={`Another name for ${name}`} name="name" defaultValue={name} required />
                  <SubmitButton className={buttonVariants({ variant: 'outline' })}>Rename</SubmitButton>
                </ActionForm>
                <ActionForm action={removePasskey} className="grid gap-2">
                  <FormMessage className={alertVariants({ tone: 'danger' })} />
                  <input type="hidden" name="id" value={id} />
                  <SubmitButton className={buttonVariants({ variant: 'outline' })}>
                    Remove<span className="sr-only"> {name}</span>
                  </SubmitButton>
                </ActionForm>
              </div>
            </li>
          ))}
        </ul>
      )}
      <AddPasskey />
      <noscript>
        <p className={alertVariants()}>Adding a passkey needs JavaScript.</p>
      </noscript>
    </>
  )
}
