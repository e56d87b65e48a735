import 'server-only'
import { count, eq } from 'drizzle-orm'
import { ShieldCheck } from 'lucide-react'
import { db } from '@/core/db/client'
import type { Fact } from '@/core/module-ui'
import { passkeys } from './schema'
import { hasTwoFactor } from './second-factor'

/** How a user signs in, for admins. */
export async function findUserFacts(userId: string): Promise<Fact[]> {
  const [[row], isTwoFactorOn] = await Promise.all([
    db.select({ count: count() }).from(passkeys).where(eq(passkeys.userId, userId)),
    hasTwoFactor(userId),
  ])
  return [
    { label: 'Passkeys', value: row?.count || 'None' },
    {
      label: 'Two-factor',
      value: isTwoFactorOn ? (
        <span className="inline-flex items-center gap-1.5 text-success-text">
          <ShieldCheck aria-hidden="true" className="size-4" strokeWidth={1.75} />
          On
        </span>
      ) : (
        'Off'
      ),
    },
  ]
}
