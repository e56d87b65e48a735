import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { AppError } from '../../errors'
import { renderRetryPage, retryPagePolicy } from './retry-page'

const inlineScripts = (html: string) =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')

test('after a GET it counts down from at least Retry-After, and offers to try again without JavaScript', () => {
  const html = renderRetryPage(new AppError('rate_limited', undefined, { retryAfter: 90 }), {
    method: 'GET',
    requestId: 'the-id',
  })
  expect(html).toContain('<h1>Too many attempts</h1>')
  const [, seconds, shown] = /data-retry="(\d+)">(\d+:\d\d)</.exec(html) ?? []
  expect(Number(seconds)).toBeGreaterThanOrEqual(90)
  expect(shown).toBe(`1:${Number(seconds) - 60}`)
  expect(html).toContain('<a href="" class="primary">Try again</a>')
  expect(html).toContain('data-copy="the-id"')
})

test('after a POST it does not try again: the form would be lost, or sent twice', () => {
  const html = renderRetryPage(new AppError('unavailable'), { method: 'POST', requestId: 'the-id' })
  expect(html).not.toContain('data-retry=')
  expect(html).not.toContain('Try again')
  expect(inlineScripts(html)).toHaveLength(1)
  expect(html).toContain('Go to homepage')
})

test('the policy allows its own scripts by their hash, and nothing else', () => {
  const scripts = inlineScripts(renderRetryPage(new AppError('unavailable'), { method: 'GET', requestId: 'the-id' }))
  expect(scripts).toHaveLength(2)
  for (const script of scripts)
    expect(retryPagePolicy).toContain(`'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  expect(/script-src ([^;]+)/.exec(retryPagePolicy)?.[1]).not.toMatch(/unsafe|nonce|https?:/)
})

test('it shows the message of the error without repeating the heading, and escapes it', () => {
  const render = (message: string) =>
    renderRetryPage(new AppError('rate_limited', message), { method: 'GET', requestId: 'the-id' })
  expect(render('Too many attempts. Try again in 2 minutes.')).toContain('<p class="muted">Try again in 2 minutes.</p>')
  expect(render('<img src=x>')).toContain('&lt;img src=x&gt;')
})
