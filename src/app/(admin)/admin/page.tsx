import { redirect } from 'next/navigation'
import { requirePermission } from '@/core/auth/session/actor'
import { can } from '../policy'

export default async function AdminPage() {
  await requirePermission(can('users.read'), '/admin')
  redirect('/admin/overview')
}
