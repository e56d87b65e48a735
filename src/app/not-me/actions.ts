'use server'

import { z } from 'zod'
import { definePublicAction } from '@/core/action'
import { raiseAlarm } from '@/core/auth/alarm'

export const shutEverything = definePublicAction({
  input: z.object({ token: z.string() }),
  run: ({ input }) => raiseAlarm(input.token),
})
