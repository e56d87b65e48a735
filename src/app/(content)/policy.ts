import { definePolicy, inScopeOrApp } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import type { ScopeMember } from '@/core/scope'

/** The user who changes a post: in an organization with the role there, or in the app itself. */
export type Writer = Pick<Actor, 'id' | 'role'> & ScopeMember

/** Reading published posts needs no permission and no account. */
export const { can, permissions } = definePolicy({
  'posts.write': inScopeOrApp('editor', 'admin'),
  'posts.write_others': inScopeOrApp('editor', 'admin'),
  'posts.publish': inScopeOrApp('editor', 'admin'),
  'posts.delete': inScopeOrApp('editor', 'admin'),
  'posts.delete_others': inScopeOrApp('admin'),
})
