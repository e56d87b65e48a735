import {
  AtSign,
  Database,
  FingerprintPattern,
  KeyRound,
  Link2,
  Lock,
  MonitorSmartphone,
  ShieldCheck,
  SlidersHorizontal,
  Trash2,
  UserRound,
} from 'lucide-react'
import { signedIn } from '@/core/auth/policy'
import { defineModuleUi } from '@/core/module-ui'
import { auditSentences } from './audit-sentences'

export default defineModuleUi({
  navigation: [
    {
      label: 'API tokens',
      href: '/account/tokens',
      icon: KeyRound,
      group: 'developers',
      order: 20,
      allow: signedIn,
    },
  ],
  settings: [
    {
      label: 'Profile',
      description: 'Your name, photo and email',
      href: '/account/profile',
      icon: UserRound,
      order: 10,
      pages: [{ label: 'Email', href: '/account/email', icon: AtSign }],
    },
    {
      label: 'Preferences',
      description: 'Time zone, language and theme',
      href: '/account/preferences',
      icon: SlidersHorizontal,
      order: 20,
    },
    {
      label: 'Security',
      description: 'Password, two-factor and passkeys',
      href: '/account/security',
      icon: ShieldCheck,
      order: 30,
      pages: [
        { label: 'Password', href: '/account/password', icon: Lock },
        { label: 'Two-factor', href: '/account/two-factor', icon: ShieldCheck },
        { label: 'Passkeys', href: '/account/passkeys', icon: FingerprintPattern },
        { label: 'Connected accounts', href: '/account/connections', icon: Link2 },
      ],
    },
    {
      label: 'Sessions',
      description: 'Where you’re signed in',
      href: '/account/sessions',
      icon: MonitorSmartphone,
      order: 40,
    },
    {
      label: 'API tokens',
      description: 'For scripts and integrations',
      href: '/account/tokens',
      icon: KeyRound,
      order: 50,
    },
    {
      label: 'Data & privacy',
      description: 'Download your data, delete your account',
      href: '/account/data',
      icon: Database,
      order: 60,
      pages: [{ label: 'Delete account', href: '/account/delete', icon: Trash2 }],
    },
  ],
  widgets: [
    {
      id: 'account.security',
      size: 'medium',
      order: 20,
      allow: signedIn,
      load: async () => (await import('./_components/widgets/secure-account')).SecureAccountWidget,
    },
  ],
  audit: auditSentences,
  userPage: {
    facts: async (userId) => (await import('./user-facts')).findUserFacts(userId),
    tabs: [
      {
        slug: 'tokens',
        label: 'API tokens',
        count: async (userId) => (await import('./tokens')).countTokens(userId),
        load: async () => (await import('./_components/user-tokens')).UserTokens,
      },
    ],
  },
})
