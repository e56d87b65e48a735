import { z } from 'zod'
import { defineEnv, type Env } from '@/core/env'
import { bucketRule, bucketUrl } from '@/core/storage/bucket-env'

// The text search configurations of PostgreSQL. For any other language use `simple`, which does no stemming.
const languages = [
  ...['simple', 'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german'],
  ...['greek', 'hindi', 'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian'],
  ...['portuguese', 'romanian', 'russian', 'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish'],
] as const

const { values, ...content } = defineEnv(
  'content',
  {
    CONTENT_LANGUAGE: {
      schema: z.enum(languages, `is not one of ${languages.join(', ')}`).default('english'),
      hint: 'The language of the posts, so that a search for "modules" finds "module"',
    },
    CONTENT_PER_ORGANIZATION: {
      schema: z.enum(['on', 'off'], 'is neither on nor off').default('off'),
      hint: 'Whether organizations have posts of their own, if that module is installed. They are published on the public blog',
    },
    CONTENT_S3_URL: {
      schema: bucketUrl,
      hint: 'URL of the bucket for images of posts, on any S3-compatible server: https://host/bucket. Without it, images are stored in PostgreSQL',
    },
    CONTENT_S3_REGION: { schema: z.string().optional(), hint: 'Region of the bucket, such as eu-central-1' },
    CONTENT_S3_KEY: {
      schema: z.string().optional(),
      hint: 'Id of an access key that can put, get and delete objects',
    },
    CONTENT_S3_SECRET: { schema: z.string().optional(), hint: 'Secret of that access key' },
  },
  bucketRule('CONTENT_S3_URL', 'CONTENT_S3_REGION', 'CONTENT_S3_KEY', 'CONTENT_S3_SECRET'),
)

export const contentEnv: Env = content
export const env = values

/** The bucket for images of posts. */
export const imageBucket = () => ({
  url: env.CONTENT_S3_URL,
  region: env.CONTENT_S3_REGION,
  key: env.CONTENT_S3_KEY,
  secret: env.CONTENT_S3_SECRET,
})
