import { defineModule } from '@/core/module'
import { permissions } from './policy'
import { scope } from './scope'

export default defineModule({
  name: 'organizations',
  title: 'Organizations',
  permissions,
  scope,
  jobs: async () => {
    const { deleteOrganizationRows } = await import('./delete-organization')
    const { invitationEmail } = await import('./invitation-email')
    const { pruneInvitations } = await import('./invitations')
    const { memberEmails } = await import('./member-emails')
    return [deleteOrganizationRows, invitationEmail, pruneInvitations, ...memberEmails]
  },
  invitation: {
    // The role in the app is not the role in the organization: there is nothing to consume at sign-up.
    find: async (email) => (await import('./invitations')).isInvited(email),
    consume: async () => null,
  },
  revoke: async (tx, userId, since) => (await import('./user-data')).revokeSent(tx, userId, since),
  exportUserData: async (userId) => (await import('./user-data')).exportUserData(userId),
  deleteUserData: async (tx, userId) => (await import('./user-data')).deleteUserData(tx, userId),
  deletionBlockers: async (userId) => (await import('./user-data')).findDeletionBlockers(userId),
  deletionNotices: async (userId, isSelf) => (await import('./user-data')).findDeletionNotices(userId, isSelf),
  seed: async (db) => (await import('./seed')).seedOrganization(db),
})
