import { notFound } from 'next/navigation'
import { z } from 'zod'
import { requirePermission } from '@/core/auth/session/actor'
import { AppShell } from '@/core/ui/app-shell'
import { DialogForm } from '@/core/ui/dialog-form'
import { Field } from '@/core/ui/form'
import { deleteOrganizationAsAdmin } from '../../../../actions'
import { findOrganization } from '../../../../organizations'
import { can } from '../../../../policy'

export const metadata = { title: 'Delete organization' }

export default async function DeleteOrganizationPage({ params }: PageProps<'/admin/organizations/[id]/delete'>) {
  const { id } = await params
  const path = `/admin/organizations/${id}/delete`
  await requirePermission(can('organizations.manage'), path)
  const organization = z.uuid().safeParse(id).success ? await findOrganization(id) : undefined
  if (!organization) notFound()
  return (
    <AppShell>
      <DialogForm
        frame="page"
        title={`Delete ${organization.name}?`}
        path={path}
        cancelHref="/admin/organizations"
        crumbs={[{ label: 'Organizations', href: '/admin/organizations' }]}
        consequences={['All members lose access at once.', 'Everything in it is deleted.', 'This can’t be undone.']}
        action={deleteOrganizationAsAdmin}
        fields={{ organizationId: id }}
        submit="Delete organization"
        isDangerous
        isSensitive
      >
        <Field
          label={`Type ${organization.name} to confirm`}
          name="typedName"
          autoComplete="off"
          spellCheck={false}
          required
          data-dialog-focus="field"
        />
      </DialogForm>
    </AppShell>
  )
}
