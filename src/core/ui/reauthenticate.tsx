import type { Route } from 'next'
import { ownCodeField, ownPasswordField, type Reauthentication } from '../auth/flows/reauthenticate'
import { buttonVariants } from './button'
import { Field, PasswordField } from './form'
import { UnlessReauthenticated } from './unless-reauthenticated'

export { findReauthentication } from '../auth/flows/reauthenticate'

/** The page where users reauthenticate, and then return to `path`. */
export const reauthenticationPath = (path: string) => `/confirm?callbackUrl=${encodeURIComponent(path)}` as Route

const hourHint = 'We won’t ask again for an hour.'

/** The user must go to the page /confirm first. Until then, the button of the form would lead to an error. */
export const mustReauthenticateElsewhere = (reauthentication: Reauthentication | null) =>
  reauthentication !== null && !reauthentication.isReauthenticated && !reauthentication.isInline

/**
 * For the form of an action with `isSensitive`: asks for the password, and for the code of users with a second factor, unless the
 * user has reauthenticated. Users who sign in otherwise get a link to the page /confirm, and then return to `path`. The result of
 * `findReauthentication` is only for display; the action checks the session.
 */
export function Reauthenticate({
  state: { email, isReauthenticated, isInline, needsCode },
  path,
}: {
  state: Reauthentication
  path: string
}) {
  return (
    <UnlessReauthenticated isReauthenticated={isReauthenticated} fieldNames={[ownPasswordField, ownCodeField]}>
      <fieldset className="grid gap-3 rounded-md bg-muted p-3.5 shadow-[inset_0_0_0_1px_var(--border)]">
        <legend className="float-start mb-1 w-full font-[550] text-sm">Confirm it’s you</legend>
        {isInline ? (
          <>
            {/* For password managers, which look for the user beside the password. */}
            <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
            <PasswordField
              label="Your password"
              name={ownPasswordField}
              autoComplete="current-password"
              {...(!needsCode && { hint: hourHint })}
              required
            />
            {needsCode && (
              <Field
                label="Authentication code"
                name={ownCodeField}
                inputMode="numeric"
                autoComplete="one-time-code"
                hint={hourHint}
                after={
                  <a
                    href={reauthenticationPath(path)}
                    className="text-muted-foreground text-xs underline underline-offset-4 hover:text-foreground"
                  >
                    Try another way
                  </a>
                }
                required
              />
            )}
          </>
        ) : (
          <>
            <p className="text-muted-foreground text-sm">Sign in again to continue. You’ll return to this page.</p>
            <a
              href={reauthenticationPath(path)}
              className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
            >
              Confirm it’s you
            </a>
          </>
        )}
      </fieldset>
    </UnlessReauthenticated>
  )
}
