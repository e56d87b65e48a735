'use server'

import { z } from 'zod'
import { defineAction } from '@/core/action'
import { redirectToProvider } from '@/core/auth/oauth/config'
import { requestConnect } from '@/core/auth/oauth/connect'
import { findConfiguredProvider, findProvider } from '@/core/auth/oauth/providers'
import { signedIn } from '@/core/auth/policy'
import { AppError } from '@/core/errors'

/** Redirects to the provider, to connect an identity to the user who is signed in. */
export const connectProvider = defineAction({
  allow: signedIn,
  isSensitive: true,
  input: z.object({ provider: z.string().refine(findProvider) }),
  run: async ({ input }) => {
    if (!findConfiguredProvider(input.provider)) throw new AppError('not_found')
    await requestConnect(input.provider)
    await redirectToProvider(input.provider, { redirectTo: '/dashboard' })
  },
})
