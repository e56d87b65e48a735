import {
  Ban,
  KeyRound,
  Link2,
  LogIn,
  LogOut,
  ShieldCheck,
  ShieldHalf,
  Siren,
  TriangleAlert,
  UserPlus,
  UserX,
  VenetianMask,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { findProvider } from '../auth/oauth/providers'
import { adminRole, roleLabel } from '../auth/roles'
import type { AuditSentence } from '../module-ui'

/** "1 session", "3 sessions"; "sessions" if the event does not say how many. */
export const countOf = (count: unknown, noun: string) =>
  typeof count === 'number' ? `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}` : `${noun}s`

/** The display name of a stored role, or of several: "Editor", "Viewer, Editor". */
export const roleName = (role: unknown) => `${role}`.split(', ').map(roleLabel).join(', ')

/** The display name of a stored provider: "GitHub". */
export const providerName = (provider: unknown) => findProvider(`${provider}`)?.name ?? 'a provider'

/** A word of a sentence that stands out, such as the new role. */
export const Strong = ({ children }: { children: ReactNode }) => <b className="font-medium">{children}</b>

const signInMethods: Record<string, string> = {
  password: 'a password',
  passkey: 'a passkey',
  email_code: 'a code or link by email',
  totp: 'a password and a code',
  recovery_code: 'a password and a recovery code',
}
const withMethod = (method: unknown) => {
  const name = signInMethods[`${method}`] ?? findProvider(`${method}`)?.name
  return name ? ` with ${name}` : ''
}

const times = (count: number) => (count > 1 ? ` ${count} times` : '')

const failureReasons: Record<string, string> = {
  unknown: 'Unknown email',
  no_password: 'No password set',
  wrong_password: 'Wrong password',
  wrong_code: 'Wrong code',
  wrong_passkey: 'Unknown passkey',
  suspended: 'Account suspended',
  unproved: 'Email not verified',
  locked: 'Password locked',
}

/** Sentences for the kinds that core records, and for those that more than one module records. */
export const coreSentences: Record<string, AuditSentence> = {
  'session.started': {
    name: 'Signed in',
    area: 'Sign-in',
    icon: LogIn,
    tone: 'success',
    isGrouped: true,
    say: ({ actor, details, count }) => (
      <>
        {actor} signed in{count > 1 ? times(count) : withMethod(details.way)}
      </>
    ),
  },
  'signin.failed': {
    name: 'Failed sign-in',
    area: 'Sign-in',
    icon: TriangleAlert,
    tone: 'danger',
    isGrouped: true,
    say: ({ target, count, isOnUserPage }) => (
      <>
        {count > 1 ? `${count} failed sign-in attempts` : 'failed sign-in attempt'}
        {target && !isOnUserPage && <> for {target}</>}
      </>
    ),
    note: ({ reason, provider }) =>
      reason === 'provider' ? `Through ${providerName(provider)}` : (failureReasons[`${reason}`] ?? null),
  },
  'session.ended': {
    name: 'Signed out',
    area: 'Sign-in',
    icon: LogOut,
    say: ({ actor }) => <>{actor} signed out</>,
  },
  'session.revoked': {
    name: 'Sessions signed out',
    area: 'Sign-in',
    icon: LogOut,
    tone: 'warning',
    say: ({ actor, target, isSelf, details: { count } }) => {
      if (isSelf)
        return (
          <>
            {actor} signed out {countOf(count, 'other session')}
          </>
        )
      // One session may be one of many; several at once are always all of them.
      return (
        <>
          {actor} signed {target} out {count === 1 ? 'of 1 session' : 'everywhere'}
          {typeof count === 'number' && count > 1 && ` (${count} sessions)`}
        </>
      )
    },
  },
  'session.confirmed': {
    name: 'Identity confirmed',
    area: 'Sign-in',
    icon: ShieldCheck,
    isGrouped: true,
    say: ({ actor, count }) => (
      <>
        {actor} confirmed their identity{times(count)}
      </>
    ),
  },
  'confirmation.failed': {
    name: 'Failed identity check',
    area: 'Sign-in',
    icon: TriangleAlert,
    tone: 'danger',
    isGrouped: true,
    say: ({ actor, count }) => (
      <>
        {count > 1 ? `${count} failed identity checks` : 'failed identity check'} by {actor}
      </>
    ),
    note: ({ reason }) => failureReasons[`${reason}`] ?? null,
  },
  'password.changed': {
    name: 'Password changed',
    area: 'Security',
    icon: KeyRound,
    say: ({ actor, target, details: { way } }) => {
      if (way === 'reset') return <>{target} reset their password</>
      return way === 'first' ? <>{actor} set a password</> : <>{actor ?? target} changed their password</>
    },
    note: ({ removed }) => (removed ? `${countOf(removed, 'older sign-in method')} removed` : null),
  },
  'password.locked': {
    name: 'Password locked',
    area: 'Security',
    icon: KeyRound,
    tone: 'danger',
    say: ({ target, details: { isEverywhere } }) => (
      <>
        password of {target} locked after {isEverywhere ? 120 : 100} failed attempts
      </>
    ),
    note: ({ isEverywhere }) => (isEverywhere ? null : 'Still works on devices they have used before'),
  },
  'provider.connected': {
    name: 'Provider connected',
    area: 'Security',
    icon: Link2,
    say: ({ actor, details: { provider } }) => (
      <>
        {actor} connected {providerName(provider)}
      </>
    ),
  },
  'alarm.raised': {
    name: 'Account reported as compromised',
    area: 'Security',
    icon: Siren,
    tone: 'danger',
    say: ({ target }) => <>{target} used “Secure my account” to lock everyone out</>,
    note: ({ isAddressRestored }) => (isAddressRestored ? 'Former email restored' : null),
  },
  'person.joined': {
    name: 'User joined',
    area: 'Users',
    icon: UserPlus,
    tone: 'success',
    say: ({ actor, target, details: { way } }) => {
      if (way === 'command') return <>{target} was added from the command line</>
      if (way === 'import')
        return actor ? (
          <>
            {actor} imported {target}
          </>
        ) : (
          <>{target} was imported from the command line</>
        )
      return (
        <>
          {target} joined{way === 'invitation' ? ' by invitation' : withMethod(way)}
        </>
      )
    },
  },
  'role.changed': {
    name: 'Role changed',
    area: 'Users',
    icon: ShieldHalf,
    tone: 'warning',
    say: ({ actor, target, isSelf, details: { from, to, role } }) => {
      // The first admin of an app comes from a setting.
      if (!actor)
        return (
          <>
            {target} became <Strong>{roleName(role ?? adminRole)}</Strong> by the setting ADMIN_EMAIL
          </>
        )
      return (
        <>
          {actor} changed {isSelf ? 'their' : <>{target}’s</>} role
          {from !== undefined && to !== undefined && (
            <>
              {' '}
              from <Strong>{roleName(from)}</Strong> to <Strong>{roleName(to)}</Strong>
            </>
          )}
        </>
      )
    },
  },
  'person.suspended': {
    name: 'User suspended',
    area: 'Users',
    icon: Ban,
    tone: 'danger',
    say: ({ actor, target }) => (
      <>
        {actor} suspended {target}
      </>
    ),
  },
  'person.deleted': {
    name: 'User deleted',
    area: 'Users',
    icon: UserX,
    tone: 'danger',
    // Nothing but an id is left of a deleted user.
    say: ({ actor, isSelf }) => (isSelf ? <>a user deleted their account</> : <>{actor} deleted a user</>),
  },
  'impersonation.started': {
    name: 'Impersonation started',
    area: 'Users',
    icon: VenetianMask,
    tone: 'warning',
    say: ({ actor, target }) => (
      <>
        {actor} started impersonating {target}
      </>
    ),
  },
  'impersonation.ended': {
    name: 'Impersonation ended',
    area: 'Users',
    icon: VenetianMask,
    tone: 'warning',
    say: ({ actor, target }) => (
      <>
        {actor} stopped impersonating {target}
      </>
    ),
  },
}
