import { ShieldAlert } from 'lucide-react'
import { redirect } from 'next/navigation'
import { returnPath } from '@/core/auth/flows/return-path'
import { getActor } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { FormPage } from '@/core/ui/form-page'
import { modules } from '@/modules'

export const metadata = { title: 'Change your password', robots: { index: false } }

/** After a sign-in with a password that is in a known data breach (PASSWORD_BREACH_CHECK). A notice: it does not stop the user. */
export default async function BreachedPasswordPage({ searchParams }: PageProps<'/signin/breached'>) {
  const { callbackUrl } = await searchParams
  if (!(await getActor())) redirect('/signin')
  const passwordPage = modules.find((module) => module.passwordPage)?.passwordPage ?? '/forgot'
  return (
    <FormPage
      title="Change your password"
      icon={ShieldAlert}
      lead="Your password has appeared in a data breach of another site. Anyone who has that list can try it here. Change it, also wherever else you use it."
    >
      <div className="grid gap-2">
        <a href={passwordPage} className={buttonVariants({ size: 'form' })}>
          Change password
        </a>
        <a
          href={returnPath(callbackUrl, '/dashboard')}
          className={buttonVariants({ variant: 'outline', size: 'form' })}
        >
          Not now
        </a>
      </div>
    </FormPage>
  )
}
