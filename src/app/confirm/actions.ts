'use server'

import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { z } from 'zod'
import { defineAction } from '@/core/action'
import { confirmWithPassword } from '@/core/auth/confirm'
import { signedIn } from '@/core/auth/policy'
import { returnPath } from '@/core/auth/return-path'

export const confirmIdentity = defineAction({
  allow: signedIn,
  input: z.object({ password: z.string().min(1, 'Enter your password'), callbackUrl: z.string().optional() }),
  run: async ({ input }) => {
    const next = returnPath(input.callbackUrl, '/dashboard')
    const challenge = await confirmWithPassword(input.password)
    redirect((challenge ? `${challenge.page}?callbackUrl=${encodeURIComponent(next)}` : next) as Route)
  },
})
