'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { requestPasswordReset } from '@/core/auth/flows/reset-password'

export const askForReset = definePublicAction({
  input: z.object({ email: z.string().trim().min(1, 'Enter your email') }),
  preserve: ['email'],
  run: async ({ input }) => {
    await requestPasswordReset(input.email)
    return { email: input.email }
  },
})
