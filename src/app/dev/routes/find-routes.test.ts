import { expect, test } from 'vitest'
import { root } from '../../../../scripts/root.ts'
import { findRoutes } from './find-routes'

const routes = findRoutes(root)
const routeAt = (url: string) => routes.find((route) => route.url === url)

test('pages and route handlers are listed by URL, with their file and owner', () => {
  expect(routeAt('/signin')).toEqual({
    url: '/signin',
    kind: 'page',
    owner: 'core',
    file: 'src/app/signin/page.tsx',
    isDevelopment: false,
  })
  expect(routeAt('/api/health')).toMatchObject({ kind: 'route', file: 'src/app/api/health/route.ts' })
  expect(routeAt('/dev/routes')).toMatchObject({ isDevelopment: true, file: 'src/app/dev/routes/page.dev.tsx' })
})

test('a URL has neither the parentheses of a module nor a parallel slot', () => {
  expect(routes.filter(({ url }) => /[()@]/.test(url))).toEqual([])
  expect(routes.filter(({ file }) => /(layout|default|-page|-route)\.tsx?$/.test(file))).toEqual([])
})
