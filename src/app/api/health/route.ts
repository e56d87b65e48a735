import { definePublicHandler, defineRoute } from '@/core/handler'

/** Liveness: this process answers. Asks nobody else, so that a slow database does not get the process restarted. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({ cache: 'no-store', run: () => ({ status: 'ok' }) }),
})
