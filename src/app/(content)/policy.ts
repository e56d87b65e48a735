import { definePolicy } from '@/core/auth/policy'

export const { can, permissions } = definePolicy({
  'posts.read': ['viewer', 'editor', 'admin'],
  'posts.write': ['editor', 'admin'],
  'posts.write_others': ['editor', 'admin'],
  'posts.publish': ['editor', 'admin'],
  'posts.delete': ['editor', 'admin'],
  'posts.delete_others': ['admin'],
})
