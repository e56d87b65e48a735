import { configuredProviders } from '@/core/auth/oauth/providers'
import { readLastSignInMethod } from '@/core/auth/session/last-method'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { LastUsedBadge } from '@/core/ui/last-used-badge'
import { ProviderLogo } from '@/core/ui/provider-logo'
import { modules } from '@/modules'
import { startWithProvider } from './actions'

/** A button for each configured provider, for sign-up and sign-in. */
function ProviderButtons({
  next,
  lastMethod,
  isReauthenticating = false,
}: {
  next: string
  lastMethod?: string | undefined
  isReauthenticating?: boolean
}) {
  return configuredProviders().map(({ id, name, logo }) => (
    <ActionForm key={id} action={startWithProvider} className="grid gap-3">
      <FormMessage />
      <input type="hidden" name="provider" value={id} />
      <input type="hidden" name="callbackUrl" value={next} />
      {isReauthenticating && <input type="hidden" name="isReauthenticating" value="yes" />}
      <SubmitButton variant="outline" size="form" className="relative w-full">
        <ProviderLogo logo={logo} />
        Continue with {name}
        {id === lastMethod && <LastUsedBadge />}
      </SubmitButton>
    </ActionForm>
  ))
}

function OrDivider() {
  return (
    <p className="flex items-center gap-3 text-muted-foreground text-sm before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      or
    </p>
  )
}

/** Sign-up methods without a password, shown above the form. */
export function SignUpMethods({ next }: { next: string }) {
  if (configuredProviders().length === 0) return null
  return (
    <div className="grid gap-5 [main:has([data-done])_&]:hidden">
      <div className="grid gap-2">
        <ProviderButtons next={next} />
      </div>
      <OrDivider />
    </div>
  )
}

/** The sign-in methods of modules. */
async function ModuleSignInMethods({ next, lastMethod }: { next: string; lastMethod?: string | undefined }) {
  const methods = await Promise.all(
    modules.flatMap(({ name, signInMethods }) => signInMethods?.().then((Method) => ({ name, Method })) ?? []),
  )
  return methods.map(({ name, Method }) => <Method key={name} next={next} lastMethod={lastMethod} />)
}

/** Sign-in methods without a password: the providers and those of modules. Marks the one that was used last. */
export async function SignInMethods({ next }: { next: string }) {
  if (configuredProviders().length === 0 && !modules.some(({ signInMethods }) => signInMethods)) return null
  const lastMethod = await readLastSignInMethod()
  return (
    <div className="grid gap-5">
      <div className="grid gap-2">
        <ProviderButtons next={next} lastMethod={lastMethod} />
        <ModuleSignInMethods next={next} lastMethod={lastMethod} />
      </div>
      <OrDivider />
    </div>
  )
}

/** Reauthentication for a user without a password: with a passkey if they have one, otherwise at the provider. */
export function ReauthenticationMethods({ next, hasModuleMethod }: { next: string; hasModuleMethod: boolean }) {
  return (
    <div className="grid gap-3">
      {hasModuleMethod ? <ModuleSignInMethods next={next} /> : <ProviderButtons next={next} isReauthenticating />}
      <p className="text-muted-foreground text-sm">
        Not working?{' '}
        <a href="/forgot" className="text-foreground underline underline-offset-4">
          Set a password
        </a>{' '}
        by email, then confirm with that.
      </p>
    </div>
  )
}
