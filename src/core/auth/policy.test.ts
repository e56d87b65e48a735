import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  authorize,
  authorizeIn,
  definePolicy,
  describeEntry,
  inScope,
  inScopeOrApp,
  isAllowed,
  roles,
  signedIn,
} from './policy'

const { can, permissions } = definePolicy({
  'posts.read': ['viewer', 'editor', 'admin'],
  'posts.write': ['editor', 'admin'],
  'users.delete': ['admin'],
})

describe('a permission', () => {
  test('is granted to exactly the roles in its row', () => {
    for (const permission of ['posts.read', 'posts.write', 'users.delete'] as const) {
      for (const role of roles) {
        expect(isAllowed(role, can(permission)), `${role} ${permission}`).toBe(
          describeEntry(permissions[permission] ?? []).roles.includes(role),
        )
      }
    }
  })

  test('is not granted without a role', () => {
    expect(isAllowed(undefined, can('posts.read'))).toBe(false)
    expect(isAllowed(undefined, signedIn)).toBe(false)
  })

  test('is not granted to a role that does not exist', () => {
    fc.assert(
      fc.property(
        fc.string().filter((role) => !roles.includes(role as never)),
        (role) => !isAllowed(role as never, can('posts.read')) && !isAllowed(role as never, signedIn),
      ),
    )
  })
})

describe('authorize', () => {
  const viewer = { id: '1', role: 'viewer' as const }

  test('returns a caller who has the permission', () => {
    expect(authorize(viewer, can('posts.read'))).toBe(viewer)
    expect(authorize(viewer, signedIn)).toBe(viewer)
  })

  test('throws 401 without a caller and 403 for a caller without the permission', () => {
    expect(() => authorize(null, can('posts.read'))).toThrow(
      expect.objectContaining({ code: 'unauthenticated', status: 401 }),
    )
    expect(() => authorize(viewer, can('users.delete'))).toThrow(
      expect.objectContaining({ code: 'forbidden', status: 403 }),
    )
  })

  test('does not reveal which role would have been sufficient', () => {
    expect(() => authorize(viewer, can('users.delete'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('admin') }),
    )
  })
})

describe('a permission that is decided in a scope', () => {
  const scoped = definePolicy({
    'members.read': inScope('viewer', 'editor', 'admin'),
    'members.invite': inScope('admin'),
    'posts.write': inScopeOrApp('editor', 'admin'),
    'users.read': ['admin'],
  })
  const appAdmin = { id: '1', role: 'admin' as const }
  const appViewer = { id: '2', role: 'viewer' as const }
  const acme = (role: 'viewer' | 'editor' | 'admin') => ({ id: 'a', slug: 'acme', name: 'Acme', role })
  const code = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      return (error as { code: string }).code
    }
    return 'allowed'
  }

  test('depends on the role there, not on the role in the app', () => {
    const allow = scoped.can('members.invite')
    expect(code(() => authorizeIn(appViewer, { isNamed: true, scope: acme('admin') }, allow))).toBe('allowed')
    expect(code(() => authorizeIn(appAdmin, { isNamed: true, scope: acme('viewer') }, allow))).toBe('forbidden')
  })

  test('is not found for outsiders, and without a scope', () => {
    const allow = scoped.can('members.read')
    expect(code(() => authorizeIn(appAdmin, { isNamed: true, scope: null }, allow))).toBe('not_found')
    expect(code(() => authorizeIn(appAdmin, { isNamed: false, scope: null }, allow))).toBe('not_found')
    expect(code(() => authorizeIn(null, { isNamed: true, scope: null }, allow))).toBe('unauthenticated')
  })

  test('may also be decided in the app, if the request names no scope', () => {
    const allow = scoped.can('posts.write')
    expect(code(() => authorizeIn(appAdmin, { isNamed: false, scope: null }, allow))).toBe('allowed')
    expect(code(() => authorizeIn(appViewer, { isNamed: false, scope: null }, allow))).toBe('forbidden')
    expect(code(() => authorizeIn(appAdmin, { isNamed: true, scope: null }, allow))).toBe('not_found')
    expect(authorizeIn(appViewer, { isNamed: true, scope: acme('editor') }, allow)).toMatchObject({ role: 'editor' })
  })

  test('does not compile where a role in the app is compared with it, and the other way round', () => {
    // @ts-expect-error: the role in the app cannot decide it.
    expect(code(() => authorize(appAdmin, scoped.can('members.invite')))).toBe('allowed')
    // @ts-expect-error: a role in a scope says nothing about the app.
    expect(code(() => authorize({ role: 'admin', scope: acme('admin') }, scoped.can('users.read')))).toBe('allowed')
    // @ts-expect-error: it is decided in the app.
    expect(code(() => authorizeIn(appAdmin, { isNamed: false, scope: null }, scoped.can('users.read')))).toBe('allowed')
  })
})
