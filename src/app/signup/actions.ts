'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { requestSignUp, resendSignUp } from '@/core/auth/flows/sign-up'
import { pickUserFields, userFieldInputs, userFieldNames } from '@/core/auth/user-fields'

export const signUp = definePublicAction({
  input: z
    .object({
      name: z.string().trim().default(''),
      email: z.string().trim().min(1, 'Enter your email'),
      password: z.string().default(''),
      ...userFieldInputs('signup'),
      /** Sends the email of this browser's sign-up again, instead of signing up. */
      isResend: z.literal('yes').optional(),
    })
    .refine(({ password, isResend }) => password !== '' || isResend, {
      path: ['password'],
      error: 'Choose a password',
    }),
  preserve: ['name', 'email', ...userFieldNames('signup')],
  run: async ({ input }) => {
    if (!input.isResend) {
      await requestSignUp({ ...input, fields: pickUserFields('signup', input) })
      return { email: input.email }
    }
    const isSent = await resendSignUp(input.email)
    const notice = isSent ? 'We sent it again.' : 'Too many attempts. Try again in an hour.'
    return { email: input.email, notice }
  },
})
