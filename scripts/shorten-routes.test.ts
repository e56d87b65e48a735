import { getServerUtils } from 'next/dist/server/server-utils'
import { expect, test } from 'vitest'
import { joinPatterns, mergeInterceptions, type Rewrite } from './shorten-routes.ts'

const patterns = [
  '^/account(?:/)?$',
  '^/account/\\(\\.\\)tokens/new(?:/)?$',
  '^/account/tokens/([^/]+?)/revoke(?:/)?$',
  '^/account/two\\-factor(?:/)?$',
  '^/posts(?:/)?$',
  '^/posts/([^/]+?)(?:/)?$',
  '^/o/([^/]+?)/content/([^/]+?)/versions(?:/)?$',
  '^/files/(.+?)(?:/)?$',
  '^/docs(?:/(.+?))?(?:/)?$',
  '^/(?:/)?$',
]

/** Every path of up to five of these parts, with and without a slash at the end. */
function* pathsOf(parts: string[], depth = 5, path = ''): Generator<string> {
  yield path
  yield `${path}/`
  if (depth > 0) for (const part of parts) yield* pathsOf(parts, depth - 1, `${path}/${part}`)
}

test('the joined pattern matches exactly the paths that one of the patterns matches', () => {
  const all = patterns.map((pattern) => new RegExp(pattern))
  const joined = new RegExp(joinPatterns(patterns))
  const parts = [
    'account',
    'tokens',
    '(.)tokens',
    'new',
    'two-factor',
    'revoke',
    'o',
    'content',
    'versions',
    'docs',
    'x',
  ]
  let matched = 0
  for (const path of pathsOf(parts, 4)) {
    const isMatch = all.some((pattern) => pattern.test(path))
    if (isMatch) matched++
    if (isMatch !== joined.test(path))
      expect.fail(`${path} is ${isMatch ? 'not matched' : 'matched'} by ${joined.source}`)
  }
  expect(matched).toBeGreaterThan(50)
  for (const path of [
    '/posts/a.b',
    '/posts/%2F',
    '/files/a/b/c',
    '/o/1/content/2/versions',
    '/posts/a/b',
    '/',
    '//',
    '/postsx',
  ])
    expect(joined.test(path), path).toBe(all.some((pattern) => pattern.test(path)))
})

test('the joined pattern is shorter than the patterns', () => {
  const pages = ['a', 'b', 'c', 'd'].map((page) => `^/administration/of/everything/${page}(?:/)?$`)
  expect(joinPatterns(pages)).toBe('^/administration/of/everything/(?:a|b|c|d)/?$')
  expect(joinPatterns([])).toBe('')
})

const intercepted = (base: string, rest: string): Rewrite => ({
  source: `${base}/${rest}`,
  destination: `${base}/(.)${rest}`,
  has: [{ type: 'header', key: 'next-url', value: `${base}(?:/.*)?` }],
  regex: `^${base}/${rest.replace(/:\w+/g, '([^/]+?)')}(?:/)?$`,
})
const rewrites: Rewrite[] = [
  { source: '/welcome', destination: '/welcome/absent', regex: '^/welcome(?:/)?$' },
  intercepted('/admin', 'users/:nxtPid/delete'),
  intercepted('/admin', 'users/:nxtPid/role'),
  intercepted('/admin', 'users/role'),
  intercepted('/admin', 'invitations/new'),
  intercepted('/admin', ':nxtPid'),
  intercepted('/content', 'delete'),
  intercepted('/content/images', 'delete/:nxtPid'),
  intercepted('/content/images', 'new'),
  // Of another kind: these stay as they are.
  { ...intercepted('/content', 'publish'), destination: '/content/(..)publish' },
  intercepted('/content', 'all/:nxtPpath*'),
]

/** Where Next itself leads a request with these rewrites. */
function destinationOf(beforeFiles: Rewrite[], path: string, from?: string) {
  const { handleRewrites } = getServerUtils({
    page: '/other',
    basePath: '',
    rewrites: { beforeFiles, afterFiles: [], fallback: [] },
    pageIsDynamic: false,
    caseSensitive: false,
  } as never)
  const request = { headers: from === undefined ? {} : { 'next-url': from } }
  const url = { pathname: path, query: { tab: 'one' }, search: '?tab=one', hash: '', href: `${path}?tab=one` }
  const { pathname, query } = handleRewrites(request as never, url as never).rewrittenParsedUrl
  return { pathname, query }
}

const id = '4f1c%20é'
const paths = [
  'users/role',
  `users/${id}/role`,
  `users/${id}/delete`,
  `users/${id}`,
  'invitations/new',
  'delete',
  'new',
]

test.each(['/admin', '/content', '/content/images', '/other'])(
  'merged rewrites below %s lead to the same pages',
  (base) => {
    const merged = mergeInterceptions(rewrites)
    for (const path of [...paths, `delete/${id}`, 'publish', 'all/a/b', id, 'a/b/c', ''].map(
      (rest) => `${base}/${rest}`,
    ))
      for (const from of [undefined, base, `${base}/somewhere`, '/elsewhere'])
        expect(destinationOf(merged, path, from), `${path} from ${from}`).toEqual(destinationOf(rewrites, path, from))
    expect(destinationOf(merged, '/admin/users/1/role', '/admin').pathname).toBe('/admin/(.)users/1/role')
  },
)

test('intercepting routes at the same place become one rewrite, whose pattern finds the same paths', () => {
  const merged = mergeInterceptions(rewrites)
  expect(merged).toHaveLength(6)
  const isFound = (all: Rewrite[], path: string) => all.some(({ regex }) => new RegExp(regex).test(path))
  for (const path of paths.map((rest) => `/admin/${rest}`)) expect(isFound(merged, path)).toBe(isFound(rewrites, path))
})
