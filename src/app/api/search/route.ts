import { z } from 'zod'
import { signedIn } from '@/core/auth/policy'
import { defineHandler, defineRoute } from '@/core/handler'
import { SearchResponse, SearchText, search } from '@/core/search/search'

/** What modules find, for the command palette. Each of their searches checks its own permission. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: defineHandler({
    allow: signedIn,
    summary: 'Search what you can open',
    query: z.object({ q: SearchText.default('') }),
    responses: { 200: SearchResponse },
    run: ({ query, actor }) => search(actor, query.q),
  }),
})
