import { z } from 'zod'
import { defineEnv, type Env } from '@/core/env'

const names = ['ACCOUNT_S3_URL', 'ACCOUNT_S3_REGION', 'ACCOUNT_S3_KEY', 'ACCOUNT_S3_SECRET']

const isSafeAddress = (value: string) => {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(value)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return (protocol === 'https:' || (protocol === 'http:' && isHere)) && !(username || password || search || hash)
}

const { values, ...account } = defineEnv(
  'account',
  {
    ACCOUNT_S3_URL: {
      schema: z
        .string()
        .refine(isSafeAddress, 'is not an https URL with nothing but a host and a path')
        .transform((value) => value.replace(/\/+$/, ''))
        .optional(),
      hint: 'The bucket that keeps pictures of people, at any server that speaks S3: https://host/bucket. Without it they are in PostgreSQL',
    },
    ACCOUNT_S3_REGION: { schema: z.string().optional(), hint: 'The region of the bucket, such as eu-central-1' },
    ACCOUNT_S3_KEY: {
      schema: z.string().optional(),
      hint: 'The id of an access key that may put, get and delete there',
    },
    ACCOUNT_S3_SECRET: { schema: z.string().optional(), hint: 'The secret of that access key' },
    ACCOUNT_TWO_STEP: {
      schema: z.enum(['optional', 'admins', 'everybody'], 'is none of optional, admins, everybody').default('optional'),
      hint: 'Who must sign in in two steps: nobody, admins or everybody. Who has not set it up does so at their next sign-in',
    },
  },
  (source) => {
    const absent = names.filter((name) => !source[name])
    if (absent.length === names.length) return []
    return absent.map((name) => ({ name, message: `is missing. A bucket needs ${names.join(', ')}, or none of them` }))
  },
)

export const accountEnv: Env = account
export const env = values
