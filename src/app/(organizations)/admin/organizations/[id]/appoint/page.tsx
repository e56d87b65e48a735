import { notFound } from 'next/navigation'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'
import { DialogForm } from '@/core/ui/dialog-form'
import { Field } from '@/core/ui/form'
import { appointAdmin } from '../../../../actions'
import { findOrganization } from '../../../../organizations'
import { can } from '../../../../policy'

export const metadata = { title: 'Appoint admin' }

export default async function AppointPage({ params }: PageProps<'/admin/organizations/[id]/appoint'>) {
  const { id } = await params
  const path = `/admin/organizations/${id}/appoint`
  await requirePermission(can('organizations.manage'), path)
  const organization = z.uuid().safeParse(id).success ? await findOrganization(id) : undefined
  if (!organization) notFound()
  return (
    <AppShell>
      <DialogForm
        frame="page"
        title={`Appoint an admin of ${organization.name}`}
        path={path}
        cancelHref="/admin/organizations"
        crumbs={[{ label: 'Organizations', href: '/admin/organizations' }]}
        consequences={[
          'Works only if no admin is active, for example because all are suspended.',
          'Only a member can become its admin.',
        ]}
        action={appointAdmin}
        fields={{ organizationId: id }}
        submit="Appoint admin"
        isSensitive
      >
        <Field
          label="Email of the member"
          name="email"
          type="email"
          autoComplete="off"
          spellCheck={false}
          required
          data-dialog-focus="field"
        />
      </DialogForm>
    </AppShell>
  )
}
