import type { Route } from 'next'
import type { ReactNode } from 'react'
import { findProvider } from '@/core/auth/oauth/providers'
import { buttonVariants } from '@/core/ui/button'
import { DeviceIcon } from '@/core/ui/device-icon'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { RelativeTime } from '@/core/ui/relative-time'
import { Badge, TitledCard } from '@/core/ui/surface'
import { describeNetwork, describeUserAgent } from '@/core/ui/user-agent'
import { endUserSessions } from '../actions'
import type { UserDetails } from '../user-details'
import { DialogLink } from './dialog-link'

const methodNames: Record<string, string> = {
  password: 'a password',
  passkey: 'a passkey',
  totp: 'a password and a code',
  recovery_code: 'a password and a recovery code',
}

const nameOfMethod = (method: string) =>
  findProvider(method)?.name ?? methodNames[method] ?? method.replaceAll('_', ' ')

type Session = UserDetails['sessions'][number]

/** The sessions of a user, each with a button that ends it. */
export function UserSessions({
  user,
  sessions = user.sessions,
  currentSessionId,
  path,
  hasStart = false,
  footer,
}: {
  user: UserDetails
  /** Those to show, if not all. */
  sessions?: Session[]
  /** The session of the admin who looks. */
  currentSessionId: string | undefined
  /** Of the current page, to which the action returns. */
  path: Route
  /** Whether to say when each began, too. */
  hasStart?: boolean
  footer?: ReactNode
}) {
  return (
    <TitledCard
      title="Active sessions"
      after={
        user.sessions.length > 1 && (
          <DialogLink
            userId={user.id}
            dialog="sign-out"
            path={path}
            className={buttonVariants({ variant: 'ghost', size: 'small', className: '-me-1.5' })}
          >
            Sign out everywhere
          </DialogLink>
        )
      }
      footer={footer}
    >
      {sessions.length === 0 ? (
        <p className="px-4.5 pt-2 pb-4.5 text-muted-foreground text-sm">No active sessions.</p>
      ) : (
        <ul className="divide-y pt-2">
          {sessions.map((session) => (
            <SessionItem
              key={session.id}
              session={session}
              userId={user.id}
              isCurrent={session.id === currentSessionId}
              path={path}
              hasStart={hasStart}
            />
          ))}
        </ul>
      )}
    </TitledCard>
  )
}

function SessionItem({
  session: { id, userAgent, ip, method, isImpersonation, createdAt, lastSeenAt },
  userId,
  isCurrent,
  path,
  hasStart,
}: {
  session: Session
  userId: string
  isCurrent: boolean
  path: Route
  hasStart: boolean
}) {
  const device = describeUserAgent(userAgent)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4.5 py-3">
      <span className="grid size-8.5 shrink-0 place-items-center rounded-[9px] bg-secondary text-muted-foreground [&_svg]:size-4">
        <DeviceIcon userAgent={userAgent} />
      </span>
      <div className="min-w-0 flex-1 basis-48">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium text-sm">
          {device}
          {isImpersonation && <Badge tone="warning">Impersonated by an admin</Badge>}
          {isCurrent && <Badge tone="accent">This session</Badge>}
        </p>
        <p className="wrap-anywhere text-muted-foreground text-xs">
          {describeNetwork(ip, null)}
          {method && ` · Signed in with ${nameOfMethod(method)}`}
          {hasStart && (
            <>
              {method ? ' ' : ' · Started '}
              <RelativeTime at={createdAt} />
            </>
          )}
        </p>
      </div>
      <span className="whitespace-nowrap text-muted-foreground text-xs">
        <span className="sr-only">Last active </span>
        <RelativeTime at={lastSeenAt} />
      </span>
      <ActionForm action={endUserSessions} className="grid gap-2">
        <FormMessage />
        <input type="hidden" name="userId" value={userId} />
        <input type="hidden" name="sessionId" value={id} />
        <input type="hidden" name="returnTo" value={path} />
        <SubmitButton variant="outline" size="small">
          Sign out<span className="sr-only"> {device}</span>
        </SubmitButton>
      </ActionForm>
    </li>
  )
}
