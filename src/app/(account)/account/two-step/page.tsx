import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { alertVariants, Badge } from '@/core/ui/surface'
import { RecoveryCodes } from '../../_components/recovery-codes'
import { prepareTwoStep, renewRecoveryCodes, switchOffTwoStep } from '../../actions'
import { needConfirmation } from '../../confirmation'
import { findTwoStep } from '../../second-factor'

export const metadata = { title: 'Two-step sign-in' }

export default async function TwoStepPage() {
  const actor = await requireActor()
  await needConfirmation('/account/two-step')
  const { since, codesLeft } = await findTwoStep(actor.id)
  if (!since) {
    return (
      <>
        <Heading title="Two-step sign-in">
          After your password you enter a code that an authenticator app shows. Whoever learns your password still
          cannot get in.
        </Heading>
        <ActionForm action={prepareTwoStep} className="grid gap-5">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Set it up</SubmitButton>
        </ActionForm>
      </>
    )
  }
  return (
    <>
      <Heading title="Two-step sign-in">
        <Badge tone="success">On</Badge> since <Moment at={since} />. You enter a code when you sign in.
      </Heading>
      <section className="grid gap-3">
        <h2 className="font-semibold text-lg">Recovery codes</h2>
        <ActionForm action={renewRecoveryCodes} className="grid gap-5" done={<RecoveryCodes />}>
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <p className="text-muted-foreground text-sm">
            {codesLeft === 0
              ? 'You have none left. Make new ones before you lose your authenticator app.'
              : `You have ${codesLeft} left. Each signs you in once when you do not have your authenticator app.`}
          </p>
          <SubmitButton className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}>
            Make new recovery codes
          </SubmitButton>
          <p className="text-muted-foreground text-sm">The ones you have stop working.</p>
        </ActionForm>
      </section>
      <section className="grid gap-3">
        <h2 className="font-semibold text-lg">Switch it off</h2>
        <ActionForm action={switchOffTwoStep} className="grid gap-3">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <p className="text-muted-foreground text-sm">From then on your password alone opens your account.</p>
          <SubmitButton className={buttonVariants({ variant: 'destructive', className: 'justify-self-start' })}>
            Switch off two-step sign-in
          </SubmitButton>
        </ActionForm>
      </section>
    </>
  )
}
