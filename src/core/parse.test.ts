import { expect, test } from 'vitest'
import { z } from 'zod'
import { formToObject, parse } from './parse'

test('messages are grouped by field, whatever the field is called', () => {
  const schema = z.record(z.string(), z.number('not a number'))
  expect(() => parse(schema, JSON.parse('{"constructor":"x","__proto__":"y","a":"z"}'))).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      fields: expect.objectContaining({ constructor: ['not a number'] }),
    }),
  )
})

test('a form becomes an object; repeated fields become an array', () => {
  const form = new FormData()
  form.append('name', 'Ada')
  form.append('tag', 'a')
  form.append('tag', 'b')
  expect(formToObject(form)).toEqual({ name: 'Ada', tag: ['a', 'b'] })
})

test('a form with very many fields is parsed quickly', { tags: 'full' }, () => {
  const form = new FormData()
  for (let index = 0; index < 10_000; index++) form.append(`field ${index}`, 'x')
  // CPU time, because wall-clock time means little on a busy machine.
  const start = process.threadCpuUsage()
  expect(Object.keys(formToObject(form))).toHaveLength(10_000)
  expect(process.threadCpuUsage(start).user / 1_000).toBeLessThan(200)
})
