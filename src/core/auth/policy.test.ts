import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authorize, definePolicy, isAllowed, roles, signedIn } from './policy'

const { can, permissions } = definePolicy({
  'posts.read': ['viewer', 'editor', 'admin'],
  'posts.write': ['editor', 'admin'],
  'users.delete': ['admin'],
})

describe('a permission', () => {
  test('is held by exactly the roles in its row', () => {
    for (const permission of ['posts.read', 'posts.write', 'users.delete'] as const) {
      for (const role of roles) {
        expect(isAllowed(role, can(permission)), `${role} ${permission}`).toBe(permissions[permission]?.includes(role))
      }
    }
  })

  test('is held by nobody who is not signed in', () => {
    expect(isAllowed(undefined, can('posts.read'))).toBe(false)
    expect(isAllowed(undefined, signedIn)).toBe(false)
  })

  test('is not held by a role that does not exist', () => {
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

  test('returns the caller who may', () => {
    expect(authorize(viewer, can('posts.read'))).toBe(viewer)
    expect(authorize(viewer, signedIn)).toBe(viewer)
  })

  test('says 401 to nobody and 403 to somebody without the permission', () => {
    expect(() => authorize(null, can('posts.read'))).toThrow(
      expect.objectContaining({ code: 'unauthenticated', status: 401 }),
    )
    expect(() => authorize(viewer, can('users.delete'))).toThrow(
      expect.objectContaining({ code: 'forbidden', status: 403 }),
    )
  })

  test('does not tell which role would have been enough', () => {
    expect(() => authorize(viewer, can('users.delete'))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('admin') }),
    )
  })
})
