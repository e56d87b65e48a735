import type { Route } from 'next'
import { type Confirmation, confirmPasswordField } from '../auth/flows/reauthenticate'
import { buttonVariants } from './button'
import { PasswordField } from './form'
import { UnlessConfirmed } from './unless-confirmed'

export { findConfirmation } from '../auth/flows/reauthenticate'

/** The page that confirms the session, and then returns to `path`. */
export const confirmPath = (path: string) => `/confirm?callbackUrl=${encodeURIComponent(path)}` as Route

/** The user must go to the page that confirms the session first. Until then, the button of the form would lead to an error. */
export const isConfirmedElsewhere = (confirmation: Confirmation | null) =>
  confirmation !== null && !confirmation.isConfirmed && !confirmation.isInline

/**
 * For the form of an action with `isSensitive`: asks for the password, unless the session is confirmed. Users who need more
 * than a password get a link to the page that asks for it, and then return to `path`. The result of `findConfirmation` is
 * only for display; the action checks the session.
 */
export function ConfirmIdentity({
  confirmation: { email, isConfirmed, isInline },
  path,
}: {
  confirmation: Confirmation
  path: string
}) {
  return (
    <UnlessConfirmed isConfirmed={isConfirmed} fieldName={confirmPasswordField}>
      <fieldset className="grid gap-3 rounded-md bg-muted p-3.5 shadow-[inset_0_0_0_1px_var(--border)]">
        <legend className="float-start mb-1 w-full font-[550] text-sm">Confirm it’s you</legend>
        {isInline ? (
          <>
            {/* For password managers, which look for the user beside the password. */}
            <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
            <PasswordField
              label="Your password"
              name={confirmPasswordField}
              autoComplete="current-password"
              hint="We won’t ask again for an hour."
              required
            />
          </>
        ) : (
          <>
            <p className="text-muted-foreground text-sm">Sign in again to continue. You’ll return to this page.</p>
            <a
              href={confirmPath(path)}
              className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
            >
              Confirm it’s you
            </a>
          </>
        )}
      </fieldset>
    </UnlessConfirmed>
  )
}
