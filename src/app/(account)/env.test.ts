import { expect, test } from 'vitest'
import { checkEnv } from '@/core/env'
import { accountEnv } from './env'

const bucket = {
  ACCOUNT_S3_URL: 'https://s3.example.com/avatars',
  ACCOUNT_S3_REGION: 'eu-central-1',
  ACCOUNT_S3_KEY: 'id',
  ACCOUNT_S3_SECRET: 'secret',
}

test('the S3 settings are set completely, or not at all', () => {
  expect(checkEnv([accountEnv], {})).toBe('')
  expect(checkEnv([accountEnv], bucket)).toBe('')
  for (const name of Object.keys(bucket)) {
    const problems = checkEnv([accountEnv], { ...bucket, [name]: '' })
    expect(problems).toContain(`${name} (module account): is missing`)
    expect(problems).toContain('One setting')
  }
})

test.each([
  ['https://avatars.s3.example.com', true],
  ['http://127.0.0.1:9000/avatars', true],
  ['http://s3.example.com/avatars', false],
  ['https://id:secret@s3.example.com/avatars', false],
  ['https://s3.example.com/avatars?x=1', false],
  ['s3://avatars', false],
  ['avatars', false],
])('ACCOUNT_S3_URL=%s is accepted: %s', (url, isAccepted) => {
  expect(checkEnv([accountEnv], { ...bucket, ACCOUNT_S3_URL: url }) === '').toBe(isAccepted)
})
