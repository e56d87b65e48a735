'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { requestSignUp } from '@/core/auth/sign-up'

export const signUp = definePublicAction({
  input: z.object({
    name: z.string().trim().default(''),
    email: z.string().trim().min(1, 'Enter your e-mail address'),
    password: z.string().min(1, 'Choose a password'),
  }),
  keep: ['name', 'email'],
  run: async ({ input }) => {
    await requestSignUp(input)
    return { email: input.email }
  },
})
