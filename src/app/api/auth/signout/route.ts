import { z } from 'zod'
import { signOut } from '@/core/auth/browser-session'
import { returnPath } from '@/core/auth/return-path'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { parse } from '@/core/parse'
import { readJson } from '@/core/request'

const Body = z.object({ redirect: z.boolean().default(true) })

/** The same answer with and without a session, so that signing out twice is no error. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    run: async ({ request }) => {
      // A bare call has nothing to say, JSON may ask for JSON, and a form says in its address where to go.
      const isJson = request.headers.get('content-type')?.startsWith('application/json')
      const { redirect } = parse(Body, isJson ? await readJson(request, 1024) : {})
      const url = returnPath(new URL(request.url).searchParams.get('callbackUrl'))
      await signOut()
      const headers = { 'Clear-Site-Data': '"cache"' }
      return redirect
        ? new Response(null, { status: 302, headers: { ...headers, Location: url } })
        : Response.json({ url }, { headers })
    },
  }),
})
