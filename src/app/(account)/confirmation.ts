import 'server-only'
import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getSession } from '@/core/auth/actor'

/** For a page whose actions are sensitive: asks now whether it is them, not once they have filled in the form. */
export async function needConfirmation(here: Route): Promise<void> {
  const session = await getSession()
  if (!session?.isConfirmed) redirect(`/confirm?callbackUrl=${here}` as Route)
}
