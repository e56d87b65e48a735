'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { returnPath } from '@/core/auth/flows/return-path'
import { secondFactorPath } from '@/core/auth/flows/second-factor'
import { signInWithPassword } from '@/core/auth/flows/sign-in'
import { redirectToProvider } from '@/core/auth/oauth/config'
import { findConfiguredProvider, findProvider } from '@/core/auth/oauth/providers'
import { isBreachedPassword } from '@/core/auth/password/breached-passwords'
import { signOut } from '@/core/auth/session/browser-session'
import { AppError } from '@/core/errors'

/** Redirects to an OAuth provider. Signs out first, because this starts a new sign-in. */
export const startWithProvider = definePublicAction({
  input: z.object({
    provider: z.string().refine(findProvider),
    callbackUrl: z.string().optional(),
    isReauthenticating: z.literal('yes').optional(),
  }),
  run: async ({ input }) => {
    const provider = findConfiguredProvider(input.provider)
    if (!provider) throw new AppError('not_found')
    await signOut()
    // Makes the provider reauthenticate the user even if they have a session there. Its `auth_time` then decides whether the
    // session counts as reauthenticated.
    const parameters = input.isReauthenticating && provider.reauthentication
    const redirectTo = returnPath(input.callbackUrl, '/dashboard')
    await redirectToProvider(provider.id, { redirectTo }, parameters || {})
  },
})

export const signIn = definePublicAction({
  input: z.object({
    email: z.string().trim().min(1, 'Enter your email'),
    password: z.string().min(1, 'Enter your password'),
    callbackUrl: z.string().optional(),
  }),
  preserve: ['email'],
  run: async ({ input }) => {
    const target = returnPath(input.callbackUrl, '/dashboard')
    const { secondFactor } = await signInWithPassword(input.email, input.password)
    // Only after the password was correct, so that nobody can test passwords of others here.
    const isBreached = await isBreachedPassword(input.password)
    const next = isBreached ? `/signin/breached?callbackUrl=${encodeURIComponent(target)}` : target
    redirect(secondFactor ? secondFactorPath(secondFactor, next) : (next as Route))
  },
})
