import { isAllowed } from '@/core/auth/policy'
import { getActor } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'
import { ContentToast } from '../_components/content-toast'
import { can } from '../policy'

export default async function ContentLayout({ children, dialog }: LayoutProps<'/content'>) {
  // The page or the dialog itself rejects them: only it knows its path, to which sign-in must return.
  if (!isAllowed((await getActor())?.role, can('posts.write')))
    return (
      <>
        {children}
        {dialog}
      </>
    )
  return (
    <AppShell>
      {children}
      {dialog}
      <ContentToast />
    </AppShell>
  )
}
