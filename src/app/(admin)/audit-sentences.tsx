import { Download, KeyRound, MailPlus, MailX, Upload, UserCheck, Users } from 'lucide-react'
import { countOf, roleName, Strong } from '@/core/audit/sentences'
import { roleLabel, roles } from '@/core/auth/roles'
import type { AuditDetails, AuditSentence } from '@/core/module-ui'
import { activityLabels } from './activity-labels'
import { capitalize } from './capitalize'
import type { Activity } from './user-query'

/** The filter of a list of users, such as "Role Viewer, Editor · Suspended · Last active: never", or "Search". */
const describeFilter = ({ role, status, seen, isSearch }: AuditDetails) =>
  [
    role && `Role ${roleName(role)}`,
    status && capitalize(`${status}`),
    seen && `Last active: ${(activityLabels[seen as Activity] ?? `${seen}`).toLowerCase()}`,
    isSearch && 'Search',
  ].filter(Boolean)

/** Sentences for the audit events that this module records. */
export const auditSentences: Record<string, AuditSentence> = {
  'users.listed': {
    name: 'Users viewed',
    area: 'Users',
    icon: Users,
    isGrouped: true,
    say: ({ actor, details: { isSearch }, count }) => (
      <>
        {actor} {isSearch && count === 1 ? 'searched' : 'viewed'} users{count > 1 && ` ${count} times`}
      </>
    ),
    note: ({ count, ...filter }) =>
      [...describeFilter(filter), ...(count === undefined ? [] : [countOf(count, 'result')])].join(' · ') || null,
  },
  'users.exported': {
    name: 'Users exported',
    area: 'Users',
    icon: Download,
    tone: 'warning',
    say: ({ actor }) => <>{actor} exported users</>,
    note: (details) => describeFilter(details).join(' · ') || 'All users',
  },
  'audit.exported': {
    name: 'Audit log exported',
    area: 'Security',
    icon: Download,
    tone: 'warning',
    say: ({ actor }) => <>{actor} exported the audit log</>,
    note: ({ kind, from, to, isSearch }) =>
      [kind && 'One kind of event', from && `From ${from}`, to && `To ${to}`, isSearch && 'Search']
        .filter(Boolean)
        .join(' · ') || 'All events',
  },
  'users.import_started': {
    name: 'Import of users started',
    area: 'Users',
    icon: Upload,
    tone: 'warning',
    say: ({ actor, details: { count } }) =>
      actor ? (
        <>
          {actor} started to import {countOf(count, 'user')}
        </>
      ) : (
        <>an import of {countOf(count, 'user')} was started from the command line</>
      ),
    note: (details) =>
      roles
        .toReversed()
        .flatMap((role) => (details[role] ? [countOf(details[role], roleLabel(role).toLowerCase())] : []))
        .join(' · ') || null,
  },
  'users.imported': {
    name: 'Users imported',
    area: 'Users',
    icon: Upload,
    tone: 'warning',
    say: ({ actor, details: { count } }) =>
      actor ? (
        <>
          {actor} imported {countOf(count, 'user')}
        </>
      ) : (
        <>
          {countOf(count, 'user')} {count === 1 ? 'was' : 'were'} imported
        </>
      ),
    note: ({ invited, skipped, isCanceled }) =>
      [
        ...(invited ? [`${Number(invited).toLocaleString('en')} invited`] : []),
        ...(skipped ? [`${Number(skipped).toLocaleString('en')} skipped`] : []),
        ...(isCanceled ? ['Canceled'] : []),
      ].join(' · ') || null,
  },
  'person.restored': {
    name: 'User restored',
    area: 'Users',
    icon: UserCheck,
    tone: 'success',
    say: ({ actor, target }) => (
      <>
        {actor} restored {target}
      </>
    ),
  },
  'password.reset_sent': {
    name: 'Password reset sent',
    area: 'Security',
    icon: KeyRound,
    say: ({ actor, target }) => (
      <>
        {actor} sent {target} a password reset
      </>
    ),
  },
  'invitation.sent': {
    name: 'Invitation sent',
    area: 'Users',
    icon: MailPlus,
    say: ({ actor, details: { count, role } }) => (
      <>
        {actor} invited {countOf(count, 'user')}
        {role !== undefined && (
          <>
            {' '}
            as <Strong>{roleName(role)}</Strong>
          </>
        )}
      </>
    ),
  },
  'invitation.revoked': {
    name: 'Invitation revoked',
    area: 'Users',
    icon: MailX,
    say: ({ actor }) => <>{actor} revoked an invitation</>,
  },
}
