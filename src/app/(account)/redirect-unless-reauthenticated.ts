import 'server-only'
import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getSession } from '@/core/auth/session/actor'

/** For pages with sensitive actions: asks for reauthentication before the user fills in the form, not after. */
export async function redirectUnlessReauthenticated(returnPath: Route): Promise<void> {
  const session = await getSession()
  if (!session?.isReauthenticated) redirect(`/confirm?callbackUrl=${returnPath}` as Route)
}
