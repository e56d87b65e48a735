import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { root } from '../../../scripts/root.ts'
import { FaultySmtpServer } from '../../../tests/app/support/faulty-smtp-server.ts'
import { resetLink } from '../auth/tokens/email-link'
import { pool } from '../db/client'
import { defineEmail } from './define-email'

let server: FaultySmtpServer

beforeAll(async () => {
  server = await FaultySmtpServer.create()
  await server.listen()
  process.env.SMTP_URL = `smtp://127.0.0.1:${server.port}`
})
afterAll(() => server.stop())

const data = z.object({ email: z.string(), subject: z.string() })
const compose = async ({ email, subject }: z.infer<typeof data>) => ({
  to: { address: email },
  subject,
  paragraphs: ['Something happened.'],
})
const samples = () => []
const notice = defineEmail('test.notice', { data, compose, samples, isSentOverLimit: true })
const otherNotice = defineEmail('test.other_notice', { data, compose, samples, isSentOverLimit: true })
const requested = defineEmail('test.requested', { data, compose, samples })

const someEmail = () => `${crypto.randomUUID()}@example.com`
const run = (definition: typeof notice, email: string, subject = 'Hello', isRetry = false) =>
  definition.work({ email, subject }, { id: crypto.randomUUID(), isRetry })
const sentTo = (email: string) => server.messages.filter((text) => text.toLowerCase().includes(email)).length

test('a recipient gets at most ten emails an hour, in any spelling', async () => {
  const email = someEmail()
  for (let sent = 0; sent < 15; sent++) await run(requested, sent % 2 ? email : email.toUpperCase())
  expect(sentTo(email)).toBe(10)
  const other = someEmail()
  await run(requested, other)
  expect(sentTo(other)).toBe(1)
})

test('notices share that limit, and over it three of each kind and subject are still sent', async () => {
  const email = someEmail()
  for (let sent = 0; sent < 10; sent++) await run(requested, email)
  for (let sent = 0; sent < 5; sent++) await run(notice, email, 'A token was made')
  expect(sentTo(email)).toBe(13)
  await run(notice, email, 'Your password was changed')
  expect(sentTo(email)).toBe(14)
  // Another kind with the same subject, such as a link that an admin sends.
  await run(otherNotice, email, 'A token was made')
  expect(sentTo(email)).toBe(15)
  const flooded = someEmail()
  for (let sent = 0; sent < 20; sent++) await run(notice, flooded)
  expect(sentTo(flooded)).toBe(13)
})

test('the limit over the limit ends before a link to reset the password does: either one works, or another is sent', async () => {
  const email = someEmail()
  for (let sent = 0; sent < 11; sent++) await run(notice, email)
  const { rows } = await pool.query<{ seconds: number }>(
    `select max(expire / 1000.0 - extract(epoch from now()))::float as seconds from rate_limits
     where key like 'mail_subject:%'`,
  )
  expect(rows[0]?.seconds).toBeGreaterThan(0)
  expect(rows[0]?.seconds).toBeLessThanOrEqual(resetLink.lifetimeSeconds)
})

test('a retried email is not counted again', async () => {
  const email = someEmail()
  server.setBehavior('later')
  await expect(run(requested, email)).rejects.toThrow()
  for (let tries = 0; tries < 12; tries++) await expect(run(requested, email, 'Hello', true)).rejects.toThrow()
  server.setBehavior('good')
  await run(requested, email, 'Hello', true)
  for (let sent = 0; sent < 15; sent++) await run(requested, email)
  expect(sentTo(email)).toBe(10)
})

test('a permanent rejection by the mail server is not retried; a temporary one is', async () => {
  const email = someEmail()
  server.setBehavior('never')
  await expect(run(notice, email)).resolves.toBeUndefined()
  server.setBehavior('later')
  await expect(run(notice, email)).rejects.toThrow()
  server.setBehavior('good')
})

test('emails are sent only by core/mail/define-email.ts, where they are limited', () => {
  const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.(test|e2e)\.tsx?$/.test(file))
  const senders = sources.filter((file) =>
    /nodemailer|createTransport|sendMail\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(senders).toEqual(['src/core/mail/define-email.ts'])
  const text = readFileSync(join(root, 'src/core/mail/define-email.ts'), 'utf8')
  expect(text.match(/\bsend\(content, /g)).toHaveLength(1)
})
