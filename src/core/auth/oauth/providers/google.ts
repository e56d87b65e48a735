import { asString, defineProvider } from '../define-provider'

export const provider = defineProvider({
  id: 'google',
  name: 'Google',
  order: 10,
  origin: 'https://accounts.google.com',
  hasIdToken: true,
  standIn: 'AUTH_GOOGLE_ISSUER',
  logo: [
    {
      fill: '#4285F4',
      d: 'M22.5 12.2c0-.8-.1-1.5-.2-2.2H12v4.3h5.9a5 5 0 0 1-2.2 3.3v2.8h3.6c2.1-2 3.2-4.8 3.2-8.2z',
    },
    {
      fill: '#34A853',
      d: 'M12 23c3 0 5.5-1 7.3-2.7l-3.6-2.8c-1 .7-2.2 1-3.7 1-2.9 0-5.3-1.9-6.2-4.5H2.1v2.9A11 11 0 0 0 12 23z',
    },
    { fill: '#FBBC05', d: 'M5.8 14a6.6 6.6 0 0 1 0-4.2V7H2.1a11 11 0 0 0 0 9.9z' },
    {
      fill: '#EA4335',
      d: 'M12 5.4c1.6 0 3.1.6 4.2 1.6l3.2-3.2A11 11 0 0 0 2.1 7l3.7 2.9C6.7 7.2 9.1 5.4 12 5.4z',
    },
  ],
  // `prompt=login` would mean the same, but Google rejects it. It says the time only if `claims` asks for it.
  reauthentication: { max_age: '0', claims: '{"id_token":{"auth_time":{"essential":true}}}' },
  isEmailVerified: ({ email_verified }) => email_verified === true,
  load: async ({ options, origin }) => {
    const { default: Google } = await import('next-auth/providers/google')
    return Google({
      ...options,
      issuer: origin,
      checks: ['pkce', 'state', 'nonce'],
      profile: (profile) => ({ id: profile.sub, name: asString(profile.name), email: asString(profile.email) }),
    })
  },
})
