'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { signInWithPassword } from '@/core/auth/sign-in'

export const signIn = definePublicAction({
  input: z.object({
    email: z.string().trim().min(1, 'Enter your e-mail address').max(254, 'This is too long for an e-mail address'),
    password: z.string().min(1, 'Enter your password').max(512, 'This is too long for a password'),
  }),
  keep: ['email'],
  run: async ({ input }) => {
    await signInWithPassword(input.email, input.password)
    redirect('/dashboard')
  },
})
