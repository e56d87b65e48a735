import { getCaller } from '@/core/auth/actor'
import { SessionAnswer } from '@/core/auth/session-answer'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** Who is calling, or `null`. A database that does not answer is 503, never `null`: nobody is signed out by an outage. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Say who is calling, or null',
    answers: { 200: SessionAnswer.nullable() },
    refuses: ['unavailable'],
    looksAtCaller: true,
    run: async () => {
      const caller = await getCaller()
      if (!caller) return null
      return { user: caller.user, expires: caller.expires.toISOString() }
    },
  }),
})
