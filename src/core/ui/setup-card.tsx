import Link from 'next/link'
import type { Actor } from '../auth/session/actor'
import { findSetup } from './setup-steps'

/** In the sidebar, in development: how much of the setup is done, until all of it is. */
export async function SetupCard({ actor }: { actor: Actor }) {
  const setup = await findSetup(actor)
  if (!setup) return null
  const { steps, next, done } = setup
  return (
    <Link
      href="/dashboard"
      prefetch={false}
      data-slot="setup-card"
      data-when="no-setup-steps"
      className="mb-2 block rounded-[10px] bg-background px-2.75 py-2.5 text-muted-foreground text-xs shadow-card"
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="font-[550] text-[0.8125rem] text-foreground">Set up your app</span>
        <span className="tabular-nums">
          {done} of {steps.length}
        </span>
      </span>
      <span aria-hidden="true" className="mt-2 mb-1.5 block h-1 overflow-hidden rounded-sm bg-secondary">
        <span className="block h-full rounded-sm bg-primary" style={{ width: `${(done / steps.length) * 100}%` }} />
      </span>
      Next: {next.title.charAt(0).toLowerCase() + next.title.slice(1)}
    </Link>
  )
}
