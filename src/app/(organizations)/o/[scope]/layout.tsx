import { AppShell } from '@/core/ui/app-shell'
import { OrganizationsToast } from '../../_components/organizations-toast'

export default async function OrganizationLayout({ params, children }: LayoutProps<'/o/[scope]'>) {
  return (
    <AppShell scope={(await params).scope}>
      {children}
      <OrganizationsToast />
    </AppShell>
  )
}
