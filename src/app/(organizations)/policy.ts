import { definePolicy, inScope } from '@/core/auth/policy'

export const { can, permissions } = definePolicy({
  // Decided in the app.
  'organizations.create': ['viewer', 'editor', 'admin'],
  'organizations.manage': ['admin'],
  // Decided in the organization.
  'members.read': inScope('viewer', 'editor', 'admin'),
  'members.leave': inScope('viewer', 'editor', 'admin'),
  'members.invite': inScope('admin'),
  'members.change_role': inScope('admin'),
  'members.remove': inScope('admin'),
  'organization.update': inScope('admin'),
  'organization.transfer': inScope('admin'),
  'organization.delete': inScope('admin'),
  'organization.audit': inScope('admin'),
})
