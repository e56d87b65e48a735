import type { Route } from 'next'
import { roleLabel } from '@/core/auth/roles'
import { getActor } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormPage } from '@/core/ui/form-page'
import { acceptMembership, declineMembership } from '../../../actions'
import { findInvitation } from '../../../invitations'

export const access = 'public'
export const metadata = { title: 'Join an organization', robots: { index: false } }

/** "grace@example.com" as "g…@example.com": the visitor may not be the invited user. */
const hideEmail = (email: string) => email.replace(/^(.).*(@.*)$/, '$1…$2')

/** Target of the invitation link. Opening it changes nothing, because mail scanners open links; the buttons do. */
export default async function JoinOrganizationPage({ params }: PageProps<'/organizations/join/[token]'>) {
  const { token } = await params
  const actor = await getActor()
  const invitation = await findInvitation(token, actor?.id ?? null)
  if (!invitation)
    return (
      <ExpiredLinkPage
        lead="This invitation has expired or was revoked. Ask for a new one."
        href="/organizations"
        label="Your organizations"
      />
    )
  const { organization, inviter, role, email, isForUser } = invitation
  const title = `Join ${organization}`
  const lead = `${inviter} invited you as ${roleLabel(role)}.`
  const callbackUrl = `?callbackUrl=${encodeURIComponent(`/organizations/join/${token}`)}`
  if (!actor)
    return (
      <FormPage title={title} lead={`${lead} Sign in as ${hideEmail(email)} to accept.`}>
        <div className="grid gap-3">
          <a href={`/signin${callbackUrl}`} className={buttonVariants({ size: 'form' })}>
            Sign in
          </a>
          {env.AUTH_SIGNUP === 'open' && (
            <>
              <a href="/signup" className={buttonVariants({ variant: 'outline', size: 'form' })}>
                Create an account
              </a>
              <p className="text-muted-foreground text-sm">
                New here? Create an account with this email, then open the link again.
              </p>
            </>
          )}
        </div>
      </FormPage>
    )
  if (!isForUser)
    return (
      <FormPage
        title={title}
        lead={`This invitation is for ${hideEmail(email)}. You’re signed in as ${actor.email}. Use the account with that verified email.`}
      >
        <form method="post" action={`/api/auth/signout?callbackUrl=${encodeURIComponent(`/signin${callbackUrl}`)}`}>
          <button type="submit" className={buttonVariants({ variant: 'outline', size: 'form' })}>
            Switch account
          </button>
        </form>
      </FormPage>
    )
  return (
    <FormPage title={title} lead={lead}>
      <ActionForm action={acceptMembership} className="grid gap-3">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        <SubmitButton size="form">Accept invitation</SubmitButton>
      </ActionForm>
      <ActionForm action={declineMembership} className="grid gap-3">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        <SubmitButton variant="ghost" size="form">
          Decline
        </SubmitButton>
      </ActionForm>
      <p className="text-muted-foreground text-sm">
        You’re signed in as {actor.email}. <a href={'/organizations' as Route}>Your organizations</a>
      </p>
    </FormPage>
  )
}
