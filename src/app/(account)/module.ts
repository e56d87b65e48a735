import { signedIn } from '@/core/auth/policy'
import { defineModule } from '@/core/module'
import { accountEnv } from './env'

export default defineModule({
  name: 'account',
  title: 'Account',
  navigation: [
    {
      label: 'Account',
      href: '/account',
      description: 'Your name and address, how you sign in, and where you are signed in',
      allow: signedIn,
    },
  ],
  env: accountEnv,
  jobs: async () => [
    ...(await import('./mails')).mails,
    (await import('./prune')).prune,
    (await import('./avatars')).forgetPicture,
  ],
  signInWays: async () => (await import('./_components/passkey-button')).PasskeySignIn,
  challenge: async (userId) => (await import('./second-factor')).findChallenge(userId),
  liftChallenge: async (tx, ...who) => (await import('./second-factor')).removeTwoStep(tx, ...who),
  bearer: async (token) => (await import('./tokens')).findBearer(token),
  revoke: async (tx, userId, since) => (await import('./revoke')).revokeAccess(tx, userId, since),
  gather: async (userId) => (await import('./gather')).gatherAccount(userId),
  erase: async (tx, userId) => (await import('./avatars')).erasePicture(tx, userId),
})
