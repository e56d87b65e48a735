import { buttonVariants } from '@/core/ui/button'
import { FormPage } from '@/core/ui/form-page'

export const metadata = { title: 'Signed out' }

export default function SignedOutPage() {
  return (
    <FormPage title="You are signed out" lead="See you soon.">
      <a href="/signin" className={buttonVariants()}>
        Sign in again
      </a>
      <a href="/" className={buttonVariants({ variant: 'outline' })}>
        Go to the start
      </a>
    </FormPage>
  )
}
