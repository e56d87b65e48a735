import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  causedBy,
  decryptCause,
  defineSecurityNotice,
  EncryptedRecipient,
  encryptRecipient,
  factsOf,
  noticeData,
  sampleNotice,
} from './security-notice'

const userAgent =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const facts = (cause: string | null) =>
  Object.fromEntries(factsOf(decryptCause(cause)).map(({ label, value }) => [label, value]))

test('a cause says when, on which device and from which IP', () => {
  const before = Date.now()
  const { at } = decryptCause(causedBy({ ip: '203.0.113.7', userAgent })) ?? { at: '' }
  expect(Date.parse(at)).toBeGreaterThanOrEqual(before)
  expect(facts(causedBy({ ip: '203.0.113.7', userAgent }))).toEqual({
    When: expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M UTC$/),
    Device: 'Chrome on macOS',
    'IP address': '203.0.113.7',
  })
})

test('a cause tells the time in the zone of the user, before and after the clock changes', () => {
  const newYork = { timeZone: 'America/New_York', locale: 'en-US' }
  const tokyo = { timeZone: 'Asia/Tokyo', locale: 'en-US' }
  const timeOf = (at: string, preferences: typeof tokyo) =>
    factsOf({ at, device: null, ip: null, isByAdmin: false }, preferences)[0]?.value
  expect(timeOf('2026-03-08T06:59:00.000Z', newYork)).toBe('Mar 8, 2026, 1:59 AM EST')
  expect(timeOf('2026-03-08T07:00:00.000Z', newYork)).toBe('Mar 8, 2026, 3:00 AM EDT')
  expect(timeOf('2026-03-08T07:00:00.000Z', tokyo)).toBe('Mar 8, 2026, 4:00 PM GMT+9')
})

test('an encrypted recipient keeps the time zone of the user; one of the previous release has none', () => {
  const to = { name: 'Ada', address: 'ada@example.com', preferences: { timeZone: 'Asia/Tokyo', locale: null } }
  expect(EncryptedRecipient.parse(encryptRecipient(to))).toEqual(to)
  const former = { address: 'ada@example.com' }
  expect(EncryptedRecipient.parse(encryptRecipient(former))).toEqual(former)
})

test('an unknown IP is left out, and a user agent is never quoted', () => {
  const { When: _, ...others } = facts(causedBy({ ip: null, userAgent: 'Call 555-0100 now' }))
  expect(others).toEqual({ Device: 'Unknown device' })
})

test('the device and IP of an admin are not told', () => {
  expect(Object.keys(facts(causedBy('admin')))).toEqual(['When', 'Done by'])
  expect(Object.keys(facts(causedBy('app')))).toEqual(['When'])
})

test('a job does not contain the IP in plain text, and one without a cause has no facts', () => {
  expect(causedBy({ ip: '203.0.113.7', userAgent })).not.toContain('203.0.113.7')
  expect(noticeData.cause.parse(undefined)).toBeNull()
  expect(factsOf(null)).toEqual([])
  expect(decryptCause('changed')).toBeNull()
})

test('a notice has an outlined "Secure my account" button', () => {
  const notice = defineSecurityNotice('test.notice', {
    data: z.object(noticeData),
    write: () => ({ subject: 'Something changed', paragraphs: ['This and that.'] }),
    samples: [sampleNotice],
  })
  expect(notice.samples()).toMatchObject([
    {
      subject: 'Something changed',
      preheader: 'Mar 14, 2026, 9:26 AM UTC · Chrome on macOS · 203.0.113.7',
      closing: 'If this was you, you can ignore this email.',
      action: { label: 'Secure my account', url: 'http://localhost:3000/not-me?token=sample', isOutlined: true },
    },
  ])
})
