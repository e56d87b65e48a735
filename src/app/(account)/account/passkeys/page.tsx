import { FingerprintPattern } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { reauthenticationPath } from '@/core/ui/reauthenticate'
import { RelativeTime } from '@/core/ui/relative-time'
import { SettingRow, SettingRows, SettingsPage } from '@/core/ui/settings-page'
import { Alert, EmptyState } from '@/core/ui/surface'
import { AddPasskey } from '../../_components/passkey-button'
import { renamePasskey } from '../../actions'
import { listPasskeys } from '../../passkeys'

export const metadata = { title: 'Passkeys' }

export default async function PasskeysPage() {
  const actor = await requirePermission(signedIn, '/account/passkeys')
  const [session, passkeys] = await Promise.all([getSession(), listPasskeys(actor.id)])
  return (
    <SettingsPage
      title="Passkeys"
      crumbs={[{ label: 'Security', href: '/account/security' }]}
      lead="Sign in with your fingerprint, face, device PIN or a security key. No password needed."
    >
      {passkeys.length === 0 ? (
        <EmptyState icon={FingerprintPattern} title="No passkeys yet">
          Passkeys live on your device or in your password manager and can’t be phished.
        </EmptyState>
      ) : (
        <SettingRows>
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <SettingRow
              key={id}
              icon={<FingerprintPattern aria-hidden="true" strokeWidth={1.75} />}
              title={name}
              state={
                <>
                  Added <RelativeTime at={createdAt} />, {lastUsedAt ? 'last used ' : 'never used'}
                  {lastUsedAt && <RelativeTime at={lastUsedAt} />}
                </>
              }
              action={
                <Link
                  href={`/account/passkeys/${id}/remove` as Route}
                  prefetch={false}
                  className={buttonVariants({ variant: 'danger', size: 'small' })}
                >
                  Remove…<span className="sr-only"> {name}</span>
                </Link>
              }
            >
              <details>
                <summary className="w-fit text-muted-foreground text-sm underline underline-offset-4 hover:text-foreground">
                  Rename<span className="sr-only"> {name}</span>
                </summary>
                <ActionForm action={renamePasskey} className="mt-3 flex flex-wrap items-end gap-2">
                  <input type="hidden" name="id" value={id} />
                  <FormMessage className="w-full" />
                  <Field label="Passkey name" name="name" defaultValue={name} required className="min-w-40 flex-1" />
                  <SubmitButton variant="outline" className="max-sm:h-11">
                    Save
                  </SubmitButton>
                </ActionForm>
              </details>
            </SettingRow>
          ))}
        </SettingRows>
      )}
      {session?.isReauthenticated ? (
        <AddPasskey />
      ) : (
        <a
          href={reauthenticationPath('/account/passkeys')}
          className={buttonVariants({ className: 'justify-self-start' })}
        >
          Add passkey
        </a>
      )}
      <noscript>
        <Alert as="p">Adding a passkey needs JavaScript.</Alert>
      </noscript>
    </SettingsPage>
  )
}
