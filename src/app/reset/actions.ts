'use server'

import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { resetPassword } from '@/core/auth/flows/reset-password'

export const chooseNewPassword = definePublicAction({
  input: z.object({ token: z.string(), password: z.string().min(1, 'Choose a password') }),
  run: async ({ input }) => {
    await resetPassword(input.token, input.password)
    redirect('/signin?notice=password_changed')
  },
})
