import { defineModule } from '@/core/module'
import { can, permissions } from './policy'

export default defineModule({
  name: 'admin',
  title: 'Admin',
  navigation: [
    {
      label: 'Admin',
      href: '/admin',
      description: 'People: invite them, say what they may do, help them to get in',
      allow: can('users.read'),
    },
  ],
  permissions,
  jobs: async () => {
    const { invitationMail, pruneInvitations } = await import('./invitations')
    const { countDays } = await import('./days')
    return [invitationMail, pruneInvitations, countDays]
  },
  invitation: {
    find: async (email) => (await import('./invitations')).isInvited(email),
    take: async (tx, email) => (await import('./invitations')).takeInvitation(tx, email),
  },
  erase: async (tx, userId) => (await import('./invitations')).eraseInvitation(tx, userId),
})
