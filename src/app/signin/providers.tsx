import { configuredProviders, providerNames } from '@/core/auth/oauth/providers'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { alertVariants } from '@/core/ui/surface'
import { startWithProvider } from './actions'

/** A button for each provider that is configured; for joining and for coming back alike. */
export function Providers({ next }: { next: string }) {
  const offered = configuredProviders()
  if (offered.length === 0) return null
  return (
    <div className="grid gap-3 group-has-[[data-done]]/page:hidden">
      {offered.map((provider) => (
        <ActionForm key={provider} action={startWithProvider} className="grid gap-3">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <input type="hidden" name="provider" value={provider} />
          <input type="hidden" name="callbackUrl" value={next} />
          <SubmitButton className={buttonVariants({ variant: 'outline', className: 'w-full' })}>
            Continue with {providerNames[provider]}
          </SubmitButton>
        </ActionForm>
      ))}
      <p className="flex items-center gap-3 text-muted-foreground text-sm before:h-px before:flex-1 before:bg-border after:h-px after:flex-1 after:bg-border">
        or
      </p>
    </div>
  )
}
