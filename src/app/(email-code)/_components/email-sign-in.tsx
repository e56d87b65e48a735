import { Mail } from 'lucide-react'
import { getActor } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { LastUsedBadge } from '@/core/ui/last-used-badge'
import { emailCodeLink } from '../requests'

/**
 * The entry of the sign-in page: a link to the page that asks for the email. Nothing for a signed-in user who has to confirm
 * that it’s them, because an email does not count for that.
 */
export async function EmailSignIn({ next, lastMethod }: { next: string; lastMethod?: string | undefined }) {
  if (await getActor()) return null
  return (
    <a
      href={`/signin/email?callbackUrl=${encodeURIComponent(next)}`}
      className={buttonVariants({ variant: 'outline', size: 'form', className: 'relative w-full' })}
    >
      <Mail aria-hidden="true" />
      Continue with an email code
      {lastMethod === emailCodeLink.name && <LastUsedBadge />}
    </a>
  )
}
