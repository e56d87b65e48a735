import { buttonVariants } from '@/core/ui/button'
import { SiteHeader } from '@/core/ui/site-header'

export const metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-xl justify-items-start gap-4 px-4 py-24 sm:px-6">
        <p className="font-mono text-muted-foreground text-sm">404</p>
        <h1 className="font-semibold text-3xl">There is nothing at this address</h1>
        <p className="text-muted-foreground">The page may have moved, or the link has a typing error in it.</p>
        <a href="/" className={buttonVariants()}>
          Go to the start
        </a>
      </main>
    </>
  )
}
