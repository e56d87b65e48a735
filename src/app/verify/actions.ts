'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { verifySignUp } from '@/core/auth/flows/sign-up'

export const verifySignUpEmail = definePublicAction({
  input: z.object({ token: z.string(), password: z.string().default('') }),
  run: async ({ input }) => {
    const secondFactor = await verifySignUp(input.token, input.password)
    redirect(secondFactor?.page ?? '/dashboard')
  },
})
