import { AppShell } from '@/core/ui/app-shell'
import { ContentToast } from '../../../_components/content-toast'

export default async function OrganizationContentLayout({ params, children }: LayoutProps<'/o/[scope]/content'>) {
  return (
    <AppShell scope={(await params).scope}>
      {children}
      <ContentToast />
    </AppShell>
  )
}
