import { defineModule } from '@/core/module'

export default defineModule({
  name: 'email-code',
  title: 'Email codes',
  jobs: async () => [...(await import('./emails')).emails, (await import('./prune')).prune],
  signInMethods: async () => (await import('./_components/email-sign-in')).EmailSignIn,
  revoke: async (tx, userId) => (await import('./requests')).deleteRequestsOf(tx, userId),
  onPasswordChange: async (tx, userId) => (await import('./requests')).deleteRequestsOf(tx, userId),
})
