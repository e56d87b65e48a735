'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { returnPath } from '@/core/auth/flows/return-path'
import { secondFactorPath } from '@/core/auth/flows/second-factor'
import { requestCode } from './request-code'
import { signInWithCode, signInWithLink } from './sign-in'

export const requestEmailCode = definePublicAction({
  input: z.object({
    email: z.string().trim().min(1, 'Enter your email'),
    callbackUrl: z.string().optional(),
    isResend: z.literal('yes').optional(),
  }),
  preserve: ['email'],
  run: async ({ input }) => {
    await requestCode(input.email, returnPath(input.callbackUrl, '/dashboard'))
    redirect(input.isResend ? '/signin/email/code?notice=resent' : '/signin/email/code')
  },
})

export const enterEmailCode = definePublicAction({
  input: z.object({ code: z.string().trim().min(1, 'Enter the code from the email') }),
  run: async ({ input }) => {
    const { next, secondFactor } = await signInWithCode(input.code)
    redirect(secondFactor ? secondFactorPath(secondFactor, next) : (next as Route))
  },
})

export const signInWithEmailLink = definePublicAction({
  input: z.object({ token: z.string(), code: z.string().default('') }),
  run: async ({ input }) => {
    const { next, secondFactor } = await signInWithLink(input.token, input.code)
    redirect(secondFactor ? secondFactorPath(secondFactor, next) : (next as Route))
  },
})
