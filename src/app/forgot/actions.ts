'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { requestReset } from '@/core/auth/reset'

export const askForReset = definePublicAction({
  input: z.object({ email: z.string().trim().min(1, 'Enter your e-mail address') }),
  keep: ['email'],
  run: async ({ input }) => {
    await requestReset(input.email)
    return { email: input.email }
  },
})
