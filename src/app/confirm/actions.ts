'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import { reauthenticateWithPassword } from '@/core/auth/flows/reauthenticate'
import { returnPath } from '@/core/auth/flows/return-path'
import { secondFactorPath } from '@/core/auth/flows/second-factor'
import { signedIn } from '@/core/auth/policy'

export const reauthenticate = defineAction({
  allow: signedIn,
  input: z.object({ password: z.string().min(1, 'Enter your password'), callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    const next = returnPath(input.callbackUrl, '/dashboard')
    const secondFactor = await reauthenticateWithPassword(input.password)
    redirect(secondFactor ? secondFactorPath(secondFactor, next) : (next as Route))
  },
})
