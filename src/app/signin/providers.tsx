import { configuredProviders, providerNames } from '@/core/auth/oauth/providers'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { alertVariants } from '@/core/ui/surface'
import { modules } from '@/modules'
import { startWithProvider } from './actions'

/** A button for each provider that is configured; for joining and for coming back alike. */
function ProviderButtons({ next }: { next: string }) {
  return configuredProviders().map((provider) => (
    <ActionForm key={provider} action={startWithProvider} className="grid gap-3">
      <FormMessage className={alertVariants({ tone: 'danger' })} />
      <input type="hidden" name="provider" value={provider} />
      <input type="hidden" name="callbackUrl" value={next} />
      <SubmitButton className={buttonVariants({ variant: 'outline', className: 'w-full' })}>
        Continue with {providerNames[provider]}
      </SubmitButton>
    </ActionForm>
  ))
}

function Or() {
  return (
    <p className="flex items-center gap-3 text-muted-foreground text-sm before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
      or
    </p>
  )
}

/** Ways to join without a password, above the form that wants one. */
export function WaysToJoin({ next }: { next: string }) {
  if (configuredProviders().length === 0) return null
  return (
    <div className="grid gap-3 group-has-[[data-done]]/page:hidden">
      <ProviderButtons next={next} />
      <Or />
    </div>
  )
}

/** Ways to come back without a password: providers, and what modules bring. `isAlone` when no form for one follows. */
export async function WaysToSignIn({ next, isAlone = false }: { next: string; isAlone?: boolean }) {
  const ofModules = await Promise.all(
    modules.flatMap(({ name, signInWays }) => signInWays?.().then((Way) => ({ name, Way })) ?? []),
  )
  if (configuredProviders().length === 0 && ofModules.length === 0) return null
  return (
    <div className="grid gap-3">
      <ProviderButtons next={next} />
      {ofModules.map(({ name, Way }) => (
        <Way key={name} next={next} />
      ))}
      {!isAlone && <Or />}
    </div>
  )
}
