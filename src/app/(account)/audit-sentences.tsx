import {
  AtSign,
  Download,
  FingerprintPattern,
  KeyRound,
  ListChecks,
  ShieldAlert,
  ShieldCheck,
  ShieldOff,
  Unlink,
} from 'lucide-react'
import { countOf, providerName, roleName } from '@/core/audit/sentences'
import type { AuditSentence } from '@/core/module-ui'

const twoFactor = 'two-factor authentication'

/** Sentences for the audit events that this module records. */
export const auditSentences: Record<string, AuditSentence> = {
  'two_step.on': {
    name: 'Two-factor turned on',
    area: 'Security',
    icon: ShieldCheck,
    tone: 'success',
    say: ({ actor }) => (
      <>
        {actor} turned on {twoFactor}
      </>
    ),
  },
  'two_step.off': {
    name: 'Two-factor turned off',
    area: 'Security',
    icon: ShieldOff,
    tone: 'warning',
    say: ({ actor, target, isSelf }) => {
      if (!actor)
        return (
          <>
            {twoFactor} of {target} was turned off after “Secure my account” was used
          </>
        )
      return (
        <>
          {actor} turned off {twoFactor}
          {!isSelf && <> for {target}</>}
        </>
      )
    },
  },
  'two_step.codes': {
    name: 'Recovery codes generated',
    area: 'Security',
    icon: ListChecks,
    say: ({ actor }) => <>{actor} generated new recovery codes</>,
  },
  'two_step.removal_scheduled': {
    name: 'Two-factor removal scheduled',
    area: 'Security',
    icon: ShieldAlert,
    tone: 'warning',
    say: ({ target }) => (
      <>
        {twoFactor} of {target} will be turned off in 72 hours
      </>
    ),
    note: () => 'After “Secure my account” was used',
  },
  'two_step.removal_canceled': {
    name: 'Two-factor removal canceled',
    area: 'Security',
    icon: ShieldCheck,
    say: ({ actor }) => (
      <>
        {actor} used {twoFactor}, so it stays on
      </>
    ),
  },
  'passkey.added': {
    name: 'Passkey added',
    area: 'Security',
    icon: FingerprintPattern,
    say: ({ actor }) => <>{actor} added a passkey</>,
  },
  'passkey.removed': {
    name: 'Passkey removed',
    area: 'Security',
    icon: FingerprintPattern,
    say: ({ actor }) => <>{actor} removed a passkey</>,
  },
  'provider.disconnected': {
    name: 'Provider disconnected',
    area: 'Security',
    icon: Unlink,
    say: ({ actor, details: { provider } }) => (
      <>
        {actor} disconnected {providerName(provider)}
      </>
    ),
  },
  'email.change_requested': {
    name: 'Email change requested',
    area: 'Security',
    icon: AtSign,
    tone: 'warning',
    say: ({ actor }) => <>{actor} asked to change their email</>,
  },
  'email.changed': {
    name: 'Email changed',
    area: 'Security',
    icon: AtSign,
    tone: 'warning',
    say: ({ actor }) => <>{actor} changed their email</>,
  },
  'person.exported': {
    name: 'Data exported',
    area: 'Users',
    icon: Download,
    say: ({ actor }) => <>{actor} exported their data</>,
  },
  'api_token.created': {
    name: 'API token created',
    area: 'API tokens',
    icon: KeyRound,
    say: ({ actor, details: { role, days } }) => (
      <>
        {actor} created an API token
        {role !== undefined && ` (${roleName(role)}, ${countOf(days, 'day')})`}
      </>
    ),
  },
  'api_token.revoked': {
    name: 'API token revoked',
    area: 'API tokens',
    icon: KeyRound,
    say: ({ actor }) => <>{actor} revoked an API token</>,
  },
}
