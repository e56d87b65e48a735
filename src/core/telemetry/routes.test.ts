import { expect, test } from 'vitest'
import { routeFinder } from './routes'

const routeOf = routeFinder({
  staticRoutes: [{ page: '/' }, { page: '/signin' }],
  dynamicRoutes: [
    { page: '/admin/users/[id]' },
    { page: '/api/auth/[...nextauth]' },
    { page: '/posts/[slug]/edit' },
    { page: '/docs/[[...path]]' },
  ],
})

test.each([
  ['/', '/'],
  ['/signin?callbackUrl=/x', '/signin'],
  ['/admin/users/7', '/admin/users/[id]'],
  ['/admin/users/7/sessions', 'none'],
  ['/admin/users', 'none'],
  ['/api/auth/callback/google?code=1', '/api/auth/[...nextauth]'],
  ['/posts/hello/edit', '/posts/[slug]/edit'],
  ['/posts/hello', 'none'],
  ['/docs', '/docs/[[...path]]'],
  ['/docs/a', '/docs/[[...path]]'],
  ['/docs/a/b', '/docs/[[...path]]'],
  ['/_next/static/chunks/a.js', '/_next'],
  ['/wp-login.php', 'none'],
])('%s matches the route %s', (url, route) => expect(routeOf(url)).toBe(route))
