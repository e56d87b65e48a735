'use server'

import { z } from 'zod'
import { defineAction } from '@/core/action'
import { goToProvider } from '@/core/auth/oauth/config'
import { intendToConnect } from '@/core/auth/oauth/connect'
import { configuredProviders } from '@/core/auth/oauth/providers'
import { signedIn } from '@/core/auth/policy'
import { AppError } from '@/core/errors'

/** Hands over to the provider, to come back with an identity for whoever is signed in now. */
export const connectProvider = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ provider: z.enum(['google', 'github']) }),
  run: async ({ input }) => {
    if (!configuredProviders().includes(input.provider)) throw new AppError('not_found')
    await intendToConnect(input.provider)
    await goToProvider(input.provider, { redirectTo: '/dashboard' })
  },
})
