import { Mail, ShieldOff } from 'lucide-react'
import type { Route } from 'next'
import type { ReactNode } from 'react'
import { providerName } from '@/core/auth/oauth/providers'
import type { Fact } from '@/core/module-ui'
import { getTimeFormat } from '@/core/time/get-time-format'
import { buttonVariants } from '@/core/ui/button'
import { cn } from '@/core/ui/cn'
import { CopyIconButton } from '@/core/ui/copy-button'
import { Facts } from '@/core/ui/facts'
import { Badge, TitledCard } from '@/core/ui/surface'
import type { UserDetails } from '../user-details'
import { DialogLink, type UserDialog } from './dialog-link'

async function Day({ at }: { at: Date }) {
  const times = await getTimeFormat()
  return (
    <time dateTime={at.toISOString()} title={times.dateTime(at)}>
      {times.date(at)}
    </time>
  )
}

/** The props of links from the overview to the dialogs about a user. */
const linksOf =
  ({ id }: UserDetails, path: Route) =>
  (dialog: UserDialog, variant: 'outline' | 'danger' = 'outline') => ({
    userId: id,
    dialog,
    path,
    className: buttonVariants({ variant, size: 'small' }),
  })

export function UserDetailsCard({ user, fieldFacts }: { user: UserDetails; fieldFacts: Fact[] }) {
  const facts: Fact[] = [
    {
      label: 'User ID',
      value: (
        <>
          {/* The whole id is there to be selected, and to be read aloud. */}
          <code title={user.id} className="w-32 select-all truncate font-mono text-xs">
            {user.id}
          </code>
          <CopyIconButton
            text={user.id}
            label="Copy user ID"
            className={cn(buttonVariants({ variant: 'ghost', size: 'icon' }), '-me-1 size-6')}
          />
        </>
      ),
    },
    { label: 'Joined', value: <Day at={user.createdAt} /> },
    { label: 'Email verified', value: user.emailVerifiedAt ? <Day at={user.emailVerifiedAt} /> : 'No' },
    ...(user.suspendedAt ? [{ label: 'Suspended', value: <Day at={user.suspendedAt} /> }] : []),
    ...fieldFacts,
  ]
  return (
    <TitledCard title="Details">
      <Facts facts={facts} />
    </TitledCard>
  )
}

/** How the user signs in, with what modules know, and help for a user who cannot. */
export function UserSecurityCard({
  user,
  isSelf,
  moduleFacts,
  path,
}: {
  user: UserDetails
  isSelf: boolean
  moduleFacts: Fact[]
  path: Route
}) {
  const link = linksOf(user, path)
  const connected = user.providers.map((id) => <Badge key={id}>{providerName(id)}</Badge>)
  const facts: Fact[] = [
    { label: 'Password', value: user.hasPassword ? 'Set' : 'Not set' },
    { label: 'Connected', value: connected.length > 0 ? connected : 'None' },
    ...moduleFacts,
  ]
  return (
    <TitledCard
      title="Sign-in & security"
      footer={
        <>
          {user.suspendedAt ? (
            'Restore this user before sending a reset link.'
          ) : (
            <DialogLink {...link('reset')}>
              <Mail aria-hidden="true" />
              Send password reset
            </DialogLink>
          )}
          {user.hasSecondFactor && !isSelf && (
            <DialogLink {...link('two-factor')}>
              <ShieldOff aria-hidden="true" />
              Turn off two-factor
            </DialogLink>
          )}
        </>
      }
    >
      <Facts facts={facts} />
    </TitledCard>
  )
}

export function UserDangerCard({ user, path }: { user: UserDetails; path: Route }) {
  const link = linksOf(user, path)
  return (
    <TitledCard title="Danger zone" isDanger>
      <div className="grid gap-2 px-4.5 pt-2 pb-4">
        {user.suspendedAt ? (
          <DangerRow text="This user can’t sign in. Their data is kept.">
            <DialogLink {...link('restore')}>Restore</DialogLink>
          </DangerRow>
        ) : (
          <DangerRow text="Block sign-in, keep data">
            <DialogLink {...link('suspend')}>Suspend</DialogLink>
          </DangerRow>
        )}
        <DangerRow text="Delete the account">
          <DialogLink {...link('delete', 'danger')}>Delete</DialogLink>
        </DangerRow>
      </div>
    </TitledCard>
  )
}

const DangerRow = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className="flex items-center justify-between gap-2">
    <p className="text-[0.8125rem] text-muted-foreground">{text}</p>
    {children}
  </div>
)
