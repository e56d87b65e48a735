'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { returnPath } from '@/core/auth/return-path'
import { signInWithPassword } from '@/core/auth/sign-in'

export const signIn = definePublicAction({
  input: z.object({
    email: z.string().trim().min(1, 'Enter your e-mail address'),
    password: z.string().min(1, 'Enter your password'),
    callbackUrl: z.string().optional(),
  }),
  keep: ['email'],
  run: async ({ input }) => {
    await signInWithPassword(input.email, input.password)
    redirect(returnPath(input.callbackUrl, '/dashboard') as Route)
  },
})
