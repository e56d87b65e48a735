'use server'

import { z } from 'zod'
import { defineAction } from '@/core/action'
import { signedIn } from '@/core/auth/policy'
import { keepBrowserPreferences } from '@/core/auth/user/preferences'

/** Called by the dashboard of a user without a time zone. Users change it in their settings. */
export const rememberBrowser = defineAction({
  allow: signedIn,
  input: z.object({ timeZone: z.string().max(100), locale: z.string().max(100) }),
  run: async ({ input, actor }) => {
    await keepBrowserPreferences(actor.id, input)
    return {}
  },
})
