'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { reportCompromise } from '@/core/auth/user/report-compromise'

export const submitCompromiseReport = definePublicAction({
  input: z.object({ token: z.string() }),
  run: ({ input }) => reportCompromise(input.token),
})
