import { getCaller } from '@/core/auth/session/actor'
import { SessionResponse } from '@/core/auth/session/api-schema'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The signed-in user, or `null`. A database outage is 503, never `null`, so that it does not sign users out. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the current session',
    responses: { 200: SessionResponse.nullable() },
    errors: ['unavailable'],
    dependsOnCaller: true,
    run: async () => {
      const caller = await getCaller()
      if (!caller) return null
      return { user: caller.user, expires: caller.expires.toISOString() }
    },
  }),
})
