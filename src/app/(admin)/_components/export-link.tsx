import { Download } from 'lucide-react'
import type { Route } from 'next'
import { getSession } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { reauthenticationPath } from '@/core/ui/reauthenticate'

/** Downloads a file. Asks for the password first, if that was long ago, and returns to this page. */
export async function ExportLink({ href, from }: { href: Route; from: Route }) {
  const session = await getSession()
  return (
    <a
      href={session?.isReauthenticated ? href : reauthenticationPath(from)}
      className={buttonVariants({ variant: 'outline' })}
    >
      <Download aria-hidden="true" />
      Export
    </a>
  )
}
