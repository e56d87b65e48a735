import type { Actor } from '@/core/auth/actor'
import { definePolicy } from '@/core/auth/policy'

/** Whoever does something to a post. */
export type Writer = Pick<Actor, 'id' | 'role'>

/** What is published is read by everybody, also without an account. */
export const { can, permissions } = definePolicy({
  'posts.write': ['editor', 'admin'],
  'posts.write_others': ['editor', 'admin'],
  'posts.publish': ['editor', 'admin'],
  'posts.delete': ['editor', 'admin'],
  'posts.delete_others': ['admin'],
})
