import { appSlug } from '@/brand'
import { asString, defineProvider } from '../define-provider'

const site = 'https://github.com'

export const provider = defineProvider({
  id: 'github',
  name: 'GitHub',
  order: 20,
  origin: site,
  standIn: 'AUTH_GITHUB_URL',
  logo: [
    {
      d: 'M12 .8a11.5 11.5 0 0 0-3.6 22.4c.6.1.8-.2.8-.5v-2c-3.2.7-3.9-1.4-3.9-1.4-.5-1.3-1.3-1.7-1.3-1.7-1-.7.1-.7.1-.7 1.2.1 1.8 1.2 1.8 1.2 1 1.8 2.7 1.3 3.4 1 .1-.8.4-1.3.7-1.6-2.6-.3-5.3-1.3-5.3-5.7 0-1.3.5-2.3 1.2-3.1-.1-.3-.5-1.5.1-3.1 0 0 1-.3 3.2 1.2a11 11 0 0 1 5.8 0c2.2-1.5 3.2-1.2 3.2-1.2.6 1.6.2 2.8.1 3.1.7.8 1.2 1.8 1.2 3.1 0 4.4-2.7 5.4-5.3 5.7.4.4.8 1.1.8 2.2v3.2c0 .3.2.7.8.5A11.5 11.5 0 0 0 12 .8z',
    },
  ],
  // GitHub has no parameter for `reauthentication`, and does not say when the user authenticated.
  isEmailVerified: () => true, // `load` returns only a verified email
  load: async ({ options, origin, fetchFn }) => {
    const { default: GitHub } = await import('next-auth/providers/github')
    const api = origin === site ? 'https://api.github.com' : `${origin}/api/v3`
    return GitHub({
      ...options,
      ...(origin !== site && { enterprise: { baseUrl: origin } }),
      checks: ['pkce', 'state'],
      profile: (profile) => ({
        id: String(profile.id),
        name: asString(profile.name) ?? asString(profile.login),
        email: asString(profile.email),
      }),
      // By default Auth.js accepts any email from GitHub. Accept only the primary one, and only if it is verified.
      userinfo: {
        url: `${api}/user`,
        async request({ tokens }: { tokens: { access_token?: string } }) {
          const getJson = async (path: string) => {
            const headers = { Authorization: `Bearer ${tokens.access_token}`, 'User-Agent': appSlug }
            const response = await fetchFn(`${api}${path}`, { headers })
            if (!response.ok) throw new Error(`GitHub returned ${response.status} for ${path}`)
            return response.json()
          }
          const [profile, emails] = await Promise.all([getJson('/user'), getJson('/user/emails')])
          // Without this check, all profiles without an id would be one identity.
          if (!Number.isSafeInteger(profile.id)) throw new Error('GitHub returned a profile without an id')
          const primaryEmail = emails.find(
            (entry: { primary: boolean; verified: boolean }) => entry.primary && entry.verified === true,
          )
          return { ...profile, email: primaryEmail?.email ?? null }
        },
      },
    })
  },
})
