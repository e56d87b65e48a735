import type { Route } from 'next'
import { DialogForm } from '@/core/ui/dialog-form'
import type { Crumb } from '@/core/ui/page'
import { describeUserAgent } from '@/core/ui/user-agent'
import { endOtherSessions, endSession } from '../actions'
import { findSessions } from '../sessions'

type Frame = 'dialog' | 'page'

const list = '/account/sessions'
const crumbs: Crumb[] = [
  { label: 'Settings', href: '/account' },
  { label: 'Sessions', href: list },
]
const frameProps = (frame: Frame, path: string) => ({
  frame,
  path,
  crumbs,
  cancelHref: list as Route,
  isSensitive: true,
  submit: 'Sign out',
})

/** Ends one session of the user, who has been checked by the caller. */
export async function EndSessionDialog({ frame, id, userId }: { frame: Frame; id: string; userId: string }) {
  const session = (await findSessions(userId)).find((one) => one.id === id && !one.isCurrent)
  return (
    <DialogForm
      {...frameProps(frame, `${list}/${id}/sign-out`)}
      title={session ? `Sign out of ${describeUserAgent(session.userAgent)}?` : 'Sign out of this session?'}
      consequences={['That browser has to sign in again.']}
      action={endSession}
      fields={{ id }}
      fieldNames={['id']}
      reason={session ? undefined : 'That session has already ended.'}
    />
  )
}

export async function EndOtherSessionsDialog({ frame, userId }: { frame: Frame; userId: string }) {
  const others = (await findSessions(userId)).filter(({ isCurrent }) => !isCurrent).length
  return (
    <DialogForm
      {...frameProps(frame, `${list}/sign-out`)}
      title="Sign out all other sessions?"
      consequences={[
        `Signs out ${others} ${others === 1 ? 'session' : 'sessions'}. They have to sign in again.`,
        'You stay signed in here.',
      ]}
      action={endOtherSessions}
      reason={others > 0 ? undefined : 'You’re signed in nowhere else.'}
    />
  )
}
