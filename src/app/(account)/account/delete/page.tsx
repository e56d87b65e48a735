import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { alertVariants } from '@/core/ui/surface'
import { deleteAccount } from '../../actions'
import { needConfirmation } from '../../confirmation'

export const metadata = { title: 'Delete the account' }

export default async function DeletePage() {
  const { email } = await requireActor()
  await needConfirmation('/account/delete')
  return (
    <>
      <Heading title="Delete the account">
        Your name, address, password, connected services and everything else that is yours is deleted at once, and you
        are signed out everywhere. Nobody can bring it back.
      </Heading>
      <ActionForm action={deleteAccount} className="grid gap-5">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <Field
          label="Type your e-mail address to confirm"
          name="confirmation"
          autoComplete="off"
          spellCheck={false}
          hint={email}
          required
        />
        <SubmitButton className={buttonVariants({ variant: 'destructive', className: 'justify-self-start' })}>
          Delete my account
        </SubmitButton>
      </ActionForm>
    </>
  )
}
