import { requireActor } from '@/core/auth/actor'
import { hasPassword } from '@/core/auth/confirm'
import { passwordHint } from '@/core/auth/people'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, PasswordField, SubmitButton } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { changePassword, setFirstPassword } from '../../actions'
import { needConfirmation } from '../../confirmation'

export const metadata = { title: 'Password' }

export default async function PasswordPage({ searchParams }: PageProps<'/account/password'>) {
  const actor = await requireActor()
  const { done } = await searchParams
  if (!(await hasPassword(actor.id))) {
    await needConfirmation('/account/password')
    return (
      <>
        <Heading title="Password">
          You have none: you sign in another way. With one, you can sign in with your address, too.
        </Heading>
        <ActionForm action={setFirstPassword} className="grid gap-5">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
          <PasswordField label="Password" name="password" autoComplete="new-password" required hint={passwordHint()} />
          <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Set the password</SubmitButton>
        </ActionForm>
      </>
    )
  }
  return (
    <>
      <Heading title="Password">Once it is changed, you are signed out on every other device.</Heading>
      {done !== undefined && (
        <p role="status" className={alertVariants({ tone: 'success' })}>
          You have a password now. Every other device was signed out
        </p>
      )}
      <ActionForm action={changePassword} className="grid gap-5">
        <FormMessage
          className={alertVariants({ tone: 'danger' })}
          done="Your password was changed, and every other device was signed out"
          doneClassName={alertVariants({ tone: 'success' })}
        />
        <input type="email" name="username" autoComplete="username" value={actor.email} readOnly hidden />
        <PasswordField label="Current password" name="current" autoComplete="current-password" required />
        <PasswordField label="New password" name="next" autoComplete="new-password" required hint={passwordHint()} />
        <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Change password</SubmitButton>
      </ActionForm>
    </>
  )
}
