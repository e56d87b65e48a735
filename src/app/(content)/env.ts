import { z } from 'zod'
import { defineEnv, type Env } from '@/core/env'

// Those that PostgreSQL brings along; what is not among them is found as it is written.
const languages = [
  ...['simple', 'arabic', 'armenian', 'basque', 'catalan', 'danish', 'dutch', 'english', 'finnish', 'french', 'german'],
  ...['greek', 'hindi', 'hungarian', 'indonesian', 'irish', 'italian', 'lithuanian', 'nepali', 'norwegian'],
  ...['portuguese', 'romanian', 'russian', 'serbian', 'spanish', 'swedish', 'tamil', 'turkish', 'yiddish'],
] as const

const { values, ...content } = defineEnv('content', {
  CONTENT_LANGUAGE: {
    schema: z.enum(languages, `is not one of ${languages.join(', ')}`).default('english'),
    hint: 'The language of the posts, so that a search for "modules" finds "module"',
  },
})

export const contentEnv: Env = content
export const env = values
