import { buttonVariants } from '@/core/ui/button'
import { FormPage } from '@/core/ui/form-page'

export const metadata = { title: 'Signed out' }

export default function SignedOutPage() {
  return (
    <FormPage title="You’re signed out" lead="See you soon.">
      <a href="/signin" className={buttonVariants({ size: 'form' })}>
        Sign in again
      </a>
      <a href="/" className={buttonVariants({ variant: 'outline', size: 'form' })}>
        Go to homepage
      </a>
    </FormPage>
  )
}
