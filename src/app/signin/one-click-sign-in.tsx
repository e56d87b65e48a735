import { roleLabel } from '@/core/auth/roles'
import { seedUsers } from '@/core/db/seed-users'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Avatar, Badge } from '@/core/ui/surface'
import { signIn } from './actions'

/** In development only: signs in as one of the seeded users. The production build does not contain this. */
export function OneClickSignIn({ next }: { next: string }) {
  if (process.env.NODE_ENV !== 'development') return null
  return (
    <section
      aria-labelledby="one-click"
      className="grid gap-2.5 rounded-lg bg-muted p-3 shadow-[inset_0_0_0_1px_var(--border)]"
    >
      <div className="flex items-center gap-2 text-[0.8125rem]">
        <Badge tone="warning">Dev only</Badge>
        <h2 id="one-click" className="text-muted-foreground">
          Sign in with one click
        </h2>
      </div>
      {process.env.DEV_PASSWORD ? (
        <ActionForm action={signIn} className="grid gap-2.5">
          <FormMessage />
          <input type="hidden" name="password" value={process.env.DEV_PASSWORD} />
          <input type="hidden" name="callbackUrl" value={next} />
          <div className="flex gap-1.5">
            {seedUsers.map(({ email, name, role }) => (
              <SubmitButton
                key={email}
                name="email"
                value={email}
                title={email}
                variant="outline"
                size="small"
                className="flex-1"
              >
                <Avatar id={email} name={name} className="size-5" />
                {roleLabel(role)}
              </SubmitButton>
            ))}
          </div>
        </ActionForm>
      ) : (
        <p className="text-sm">Set DEV_PASSWORD in .env</p>
      )}
    </section>
  )
}
