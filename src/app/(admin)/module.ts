import { defineModule } from '@/core/module'
import { permissions } from './policy'

export default defineModule({
  name: 'admin',
  title: 'Admin',
  permissions,
  jobs: async () => {
    const { invitationEmail } = await import('./invitation-email')
    const { pruneInvitations } = await import('./invitations')
    const { countDays } = await import('./days')
    const { importUsers } = await import('./_import/run-import')
    const { pruneImports } = await import('./_import/imports')
    return [invitationEmail, pruneInvitations, countDays, importUsers, pruneImports]
  },
  invitation: {
    find: async (email) => (await import('./invitations')).isInvited(email),
    consume: async (tx, email) => (await import('./invitations')).consumeInvitation(tx, email),
  },
  revoke: async (tx, userId, since) => {
    await (await import('./invitations')).revokeSent(tx, userId, since)
    await (await import('./_import/imports')).endImportsOf(tx, userId)
  },
  importUsers: async (file, options) => (await import('./_import/command')).importFile(file, options),
  deleteUserData: async (tx, userId) => (await import('./invitations')).deleteInvitation(tx, userId),
})
