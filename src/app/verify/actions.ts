'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { confirmSignUp } from '@/core/auth/sign-up'

export const confirmAddress = definePublicAction({
  input: z.object({ token: z.string(), password: z.string().default('') }),
  run: async ({ input }) => {
    const challenge = await confirmSignUp(input.token, input.password)
    redirect(challenge?.page ?? '/dashboard')
  },
})
