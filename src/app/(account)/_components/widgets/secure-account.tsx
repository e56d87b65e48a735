import Link from 'next/link'
import type { WidgetProps } from '@/core/module-ui'
import { buttonVariants } from '@/core/ui/button'
import { TitledCard } from '@/core/ui/surface'
import { isSecured } from '../../is-secured'

/** Shown until the user has a passkey or two-factor authentication. */
export async function SecureAccountWidget({ actor }: WidgetProps) {
  if (await isSecured(actor.id)) return null
  return (
    <TitledCard title="Secure your account">
      <div className="grid gap-3 px-4.5 pt-1 pb-4">
        <p className="text-muted-foreground text-sm">
          Add a passkey or turn on two-factor authentication. A stolen password alone won’t get anyone in.
        </p>
        <p className="flex flex-wrap gap-2">
          <Link
            href="/account/passkeys"
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Add a passkey
          </Link>
          <Link
            href="/account/two-factor"
            prefetch={false}
            className={buttonVariants({ variant: 'outline', size: 'small' })}
          >
            Turn on two-factor
          </Link>
        </p>
      </div>
    </TitledCard>
  )
}
