import { getActor } from '@/core/auth/actor'
import { isAllowed } from '@/core/auth/policy'
import { AppShell } from '@/core/ui/app-shell'
import { modules } from '@/modules'
import { can } from '../policy'

export default async function ContentLayout({ children }: LayoutProps<'/content'>) {
  const actor = await getActor()
  // The page refuses them, and knows its own address: strangers come back to it.
  if (!actor || !isAllowed(actor.role, can('posts.write'))) return children
  return (
    <AppShell actor={actor} navigation={modules.flatMap((module) => module.navigation ?? [])}>
      {children}
    </AppShell>
  )
}
