import { definePolicy } from '@/core/auth/policy'

export const { can, permissions } = definePolicy({
  'users.read': ['admin'],
  'users.invite': ['admin'],
  'users.import': ['admin'],
  'users.change_role': ['admin'],
  'users.suspend': ['admin'],
  'users.sign_out': ['admin'],
  'users.reset': ['admin'],
  'users.delete': ['admin'],
  'users.impersonate': ['admin'],
  'audit.read': ['admin'],
})
