import { buttonVariants } from '@/core/ui/button'
import { Heading } from '@/core/ui/section'
import { needConfirmation } from '../../confirmation'

export const metadata = { title: 'Your data' }

export default async function DataPage() {
  await needConfirmation('/account/data')
  return (
    <>
      <Heading title="Your data">All that we hold of you, to read or to take along.</Heading>
      <div className="grid gap-3 text-sm">
        <p>One ZIP file, with JSON inside that people and programs can read:</p>
        <ul className="grid list-disc gap-1.5 ps-5">
          <li>your name, address, role and picture</li>
          <li>where you are signed in, and the services you sign in with</li>
          <li>your passkeys and API tokens by name, and whether two-step sign-in is on</li>
          <li>what happened in your account: when, from where, with which browser</li>
          <li>what you have made in the other parts of this app</li>
        </ul>
        <p className="text-muted-foreground">
          Passwords, codes, keys and tokens are not in it. Keep the file safe all the same.
        </p>
      </div>
      {/* Not Link, which would fetch it ahead of the click. */}
      <a href="/api/account/export" className={buttonVariants({ className: 'justify-self-start' })}>
        Download
      </a>
    </>
  )
}
