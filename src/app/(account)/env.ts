import { z } from 'zod'
import { defineEnv, type Env } from '@/core/env'
import { bucketRule, bucketUrl } from '@/core/storage/bucket-env'

const { values, ...account } = defineEnv(
  'account',
  {
    ACCOUNT_S3_URL: {
      schema: bucketUrl,
      hint: 'URL of the bucket for profile photos, on any S3-compatible server: https://host/bucket. Without it, photos are stored in PostgreSQL',
    },
    ACCOUNT_S3_REGION: { schema: z.string().optional(), hint: 'Region of the bucket, such as eu-central-1' },
    ACCOUNT_S3_KEY: {
      schema: z.string().optional(),
      hint: 'Id of an access key that can put, get and delete objects',
    },
    ACCOUNT_S3_SECRET: { schema: z.string().optional(), hint: 'Secret of that access key' },
    ACCOUNT_TWO_STEP: {
      schema: z.enum(['optional', 'admins', 'everybody'], 'is none of optional, admins, everybody').default('optional'),
      hint: 'Who must use two-factor authentication: optional (no one), admins or everybody. Users without it set it up at their next sign-in',
    },
  },
  bucketRule('ACCOUNT_S3_URL', 'ACCOUNT_S3_REGION', 'ACCOUNT_S3_KEY', 'ACCOUNT_S3_SECRET'),
)

export const accountEnv: Env = account
export const env = values

/** The bucket for profile photos. */
export const photoBucket = () => ({
  url: env.ACCOUNT_S3_URL,
  region: env.ACCOUNT_S3_REGION,
  key: env.ACCOUNT_S3_KEY,
  secret: env.ACCOUNT_S3_SECRET,
})
