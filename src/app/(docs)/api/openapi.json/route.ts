import { z } from 'zod'
import { env } from '@/core/env'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { describeApi, securitySchemes } from '../../document'

let documentJson: Promise<string> | undefined

/** Built once per process: routes change at runtime only in development. */
function makeDocument(): Promise<string> {
  if (process.env.NODE_ENV === 'development') documentJson = undefined
  documentJson ??= describeApi().then((api) =>
    JSON.stringify({
      ...api,
      servers: [{ url: env.AUTH_URL }],
      components: { ...api.components, securitySchemes: securitySchemes() },
    }),
  )
  return documentJson
}

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the OpenAPI document',
    responses: { 200: z.looseObject({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) }) },
    cache: 'public, max-age=300',
    run: async () => new Response(await makeDocument(), { headers: { 'Content-Type': 'application/json' } }),
  }),
})
