import { z } from 'zod'
import { env } from '@/core/env'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { describeApi, securitySchemes } from '../../document'

let made: Promise<string> | undefined

/** Made once: routes do not change while a process runs, but in development. */
function makeDocument(): Promise<string> {
  if (process.env.NODE_ENV === 'development') made = undefined
  made ??= describeApi().then((api) =>
    JSON.stringify({
      ...api,
      servers: [{ url: env.AUTH_URL }],
      components: { ...api.components, securitySchemes: securitySchemes() },
    }),
  )
  return made
}

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get this description of the API',
    answers: { 200: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }) },
    cache: 'public, max-age=300',
    run: async () => new Response(await makeDocument(), { headers: { 'Content-Type': 'application/json' } }),
  }),
})
