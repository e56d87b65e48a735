import { signOut } from '@/core/auth/sign-in'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The same answer with and without a session, so that signing out twice is no error. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    run: async () => {
      await signOut()
      return new Response(null, { status: 302, headers: { Location: '/', 'Clear-Site-Data': '"cache"' } })
    },
  }),
})
