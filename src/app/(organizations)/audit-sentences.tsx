import {
  Building2,
  ImageUp,
  LogOut,
  MailPlus,
  MailX,
  Pencil,
  ShieldUser,
  Trash2,
  UserMinus,
  UserPlus,
} from 'lucide-react'
import { countOf, roleName, Strong } from '@/core/audit/sentences'
import type { AuditSentence } from '@/core/module-ui'

const area = 'Organizations'

const AsRole = ({ role }: { role: unknown }) =>
  role === undefined ? null : (
    <>
      {' '}
      as <Strong>{roleName(role)}</Strong>
    </>
  )

/** Sentences for the audit events that this module records. */
export const auditSentences: Record<string, AuditSentence> = {
  'organization.created': {
    name: 'Organization created',
    area,
    icon: Building2,
    tone: 'success',
    say: ({ actor }) => <>{actor} created the organization</>,
  },
  'organization.renamed': {
    name: 'Organization renamed',
    area,
    icon: Pencil,
    say: ({ actor, details: { isNameChanged } }) => (
      <>
        {actor} changed the {isNameChanged === false ? 'slug' : 'name'} of the organization
      </>
    ),
  },
  'organization.logo_changed': {
    name: 'Logo changed',
    area,
    icon: ImageUp,
    say: ({ actor }) => <>{actor} changed the logo</>,
  },
  'organization.transferred': {
    name: 'Organization transferred',
    area,
    icon: ShieldUser,
    tone: 'warning',
    say: ({ actor, target }) => (
      <>
        {actor} transferred the organization to {target}
      </>
    ),
  },
  'organization.deleted': {
    name: 'Organization deleted',
    area,
    icon: Trash2,
    tone: 'danger',
    say: ({ actor }) => <>{actor} deleted the organization</>,
  },
  'member.invited': {
    name: 'Member invited',
    area,
    icon: MailPlus,
    say: ({ actor, details: { count, role } }) => (
      <>
        {actor} invited {countOf(count, 'user')}
        <AsRole role={role} />
      </>
    ),
  },
  'member.invitation_revoked': {
    name: 'Invitation to an organization revoked',
    area,
    icon: MailX,
    say: ({ actor }) => <>{actor} revoked an invitation</>,
  },
  'member.joined': {
    name: 'Member joined',
    area,
    icon: UserPlus,
    tone: 'success',
    say: ({ target, details: { role } }) => (
      <>
        {target} joined
        <AsRole role={role} />
      </>
    ),
  },
  'member.role_changed': {
    name: 'Role in an organization changed',
    area,
    icon: ShieldUser,
    say: ({ actor, target, isSelf, details: { from, to } }) => (
      <>
        {actor} changed {isSelf ? 'their own role' : <>{target}’s role</>}
        {from !== undefined && (
          <>
            {' '}
            from <Strong>{roleName(from)}</Strong> to <Strong>{roleName(to)}</Strong>
          </>
        )}
      </>
    ),
  },
  'member.appointed': {
    name: 'Admin of an organization appointed',
    area,
    icon: ShieldUser,
    tone: 'warning',
    say: ({ actor, target }) => (
      <>
        {actor} made {target} an admin of the organization
      </>
    ),
  },
  'member.removed': {
    name: 'Member removed',
    area,
    icon: UserMinus,
    tone: 'warning',
    say: ({ actor, target }) => (
      <>
        {actor} removed {target}
      </>
    ),
  },
  'member.left': {
    name: 'Member left',
    area,
    icon: LogOut,
    say: ({ target }) => <>{target} left</>,
  },
}
