'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { signOut } from '@/core/auth/browser-session'
import { goToProvider } from '@/core/auth/oauth/config'
import { configuredProviders } from '@/core/auth/oauth/providers'
import { returnPath } from '@/core/auth/return-path'
import { signInWithPassword } from '@/core/auth/sign-in'
import { AppError } from '@/core/errors'

/** Hands over to Google or GitHub. Whoever was signed in here before is not any more: this is another sign-in. */
export const startWithProvider = definePublicAction({
  input: z.object({ provider: z.enum(['google', 'github']), callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    if (!configuredProviders().includes(input.provider)) throw new AppError('not_found')
    await signOut()
    await goToProvider(input.provider, { redirectTo: returnPath(input.callbackUrl, '/dashboard') })
  },
})

export const signIn = definePublicAction({
  input: z.object({
    email: z.string().trim().min(1, 'Enter your e-mail address'),
    password: z.string().min(1, 'Enter your password'),
    callbackUrl: z.string().optional(),
  }),
  keep: ['email'],
  run: async ({ input }) => {
    const next = returnPath(input.callbackUrl, '/dashboard')
    const { challenge } = await signInWithPassword(input.email, input.password)
    redirect((challenge ? `${challenge.page}?callbackUrl=${encodeURIComponent(next)}` : next) as Route)
  },
})
