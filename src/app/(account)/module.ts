import { defineModule } from '@/core/module'
import { accountEnv } from './env'

export default defineModule({
  name: 'account',
  title: 'Account',
  env: accountEnv,
  settingsHome: '/account',
  passwordPage: '/account/password',
  jobs: async () => [
    ...(await import('./emails')).emails,
    (await import('./prune')).prune,
    (await import('./two-factor-removal')).continueRemoval,
    (await import('./avatars')).deleteOrphanedPicture,
  ],
  signInMethods: async () => (await import('./_components/passkey-sign-in')).PasskeySignIn,
  canReauthenticate: async (userId) => (await (await import('./passkeys')).listPasskeys(userId)).length > 0,
  secondFactor: async (userId) => (await import('./second-factor')).findSecondFactor(userId),
  hasSecondFactor: async (userIds) => (await import('./second-factor')).findUsersWithTwoFactor(userIds),
  removeSecondFactor: async (tx, ...who) => (await import('./second-factor')).removeTwoFactor(tx, ...who),
  bearer: async (token) => (await import('./tokens')).findBearer(token),
  revoke: async (tx, userId, since) => (await import('./revoke')).revokeAccess(tx, userId, since),
  revokeOlderSignInMethods: async (tx, userId, before) => (await import('./revoke')).revokeOlder(tx, userId, before),
  exportUserData: async (userId) => (await import('./export-account-data')).exportAccountData(userId),
  deleteUserData: async (tx, userId) => (await import('./avatars')).deletePictureObject(tx, userId),
})
