import { Mail, MailX } from 'lucide-react'
import type { AuditSentence } from '@/core/module-ui'

/** Sentences for the audit events that this module records. */
export const auditSentences: Record<string, AuditSentence> = {
  'email_code.requested': {
    name: 'Email code requested',
    area: 'Sign-in',
    icon: Mail,
    isGrouped: true,
    say: ({ target, count, isOnUserPage }) => (
      <>
        {count > 1 ? `${count} sign-in codes requested` : 'sign-in code requested'}
        {target && !isOnUserPage && <> for {target}</>}
      </>
    ),
    note: ({ isKnown }) => (isKnown === false ? 'Unknown email' : null),
  },
  'email_code.locked': {
    name: 'Email codes locked',
    area: 'Security',
    icon: MailX,
    tone: 'danger',
    say: ({ target }) => <>email codes of {target} locked after 100 wrong codes</>,
    note: () => 'Links still work in the browser that asked for them',
  },
}
