import { buttonVariants } from '@/core/ui/button'
import { SiteHeader } from '@/core/ui/site-header'

export const metadata = { title: 'Welcome', description: 'The app is up.' }

/** Shown at `/` while no module has a page for it. Static. In development, src/app/dev/welcome is shown instead. */
export default function WelcomePage() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-3xl gap-5 px-4 py-16 sm:px-6">
        <h1 className="font-semibold text-3xl sm:text-4xl">Your app is running</h1>
        <p className="text-lg text-muted-foreground">The app is up. Install a module to add pages.</p>
        <div>
          <a href="/signin" className={buttonVariants({ size: 'large' })}>
            Sign in
          </a>
        </div>
      </main>
    </>
  )
}
