import 'server-only'
import { defineSlots } from '@/core/slots'

/** At most 4 uploads per process, of covers and images together: each holds the whole file in memory while it is converted. */
export const uploadSlots = defineSlots('upload', 4)
