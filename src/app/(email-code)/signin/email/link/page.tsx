import { CodeField } from '@/core/ui/code-field'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { ExpiredLinkPage, FormPage } from '@/core/ui/form-page'
import { signInWithEmailLink } from '../../../actions'
import { peekLink } from '../../../requests'

/** Anyone who has the link can sign in with it. */
export const access = 'public'

export const metadata = { title: 'Sign in with a link', robots: { index: false } }

/** The target of the link in the email. Only the button signs in: mail scanners open links too. */
export default async function LinkPage({ searchParams }: PageProps<'/signin/email/link'>) {
  const { token } = await searchParams
  const found = typeof token === 'string' ? await peekLink(token) : null
  if (!found) {
    return (
      <ExpiredLinkPage
        lead="Sign-in links work once, for 10 minutes. Request a new one."
        href="/signin/email"
        label="Send a new link"
      />
    )
  }
  const { email, isSameBrowser, isLocked } = found
  // The email of a user with locked codes has none.
  if (!isSameBrowser && isLocked) {
    return (
      <FormPage
        title="Use your other browser"
        lead={`You asked to sign in as ${email} in a different browser. Open this link there.`}
      />
    )
  }
  return (
    <FormPage title="Sign in" lead={`Continue as ${email}.`}>
      <ActionForm action={signInWithEmailLink} className="grid gap-5">
        <FormMessage />
        <input type="hidden" name="token" value={token} />
        {!isSameBrowser && (
          <CodeField hint="You’re on a different browser, so enter the 6 digits from the email as well." />
        )}
        <SubmitButton size="form">Sign in</SubmitButton>
      </ActionForm>
    </FormPage>
  )
}
