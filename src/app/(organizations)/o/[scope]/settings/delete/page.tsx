import { requirePermission } from '@/core/auth/session/actor'
import { scopePath } from '@/core/scope'
import { DialogForm } from '@/core/ui/dialog-form'
import { Field } from '@/core/ui/form'
import { deleteOrganization } from '../../../../actions'
import { can } from '../../../../policy'

export const metadata = { title: 'Delete organization' }

export default async function DeletePage({ params }: PageProps<'/o/[scope]/settings/delete'>) {
  const { scope: name } = await params
  const { scope } = await requirePermission(can('organization.delete'), `/o/${name}/settings/delete`, name)
  const settings = scopePath(scope, '/settings')
  return (
    <DialogForm
      frame="page"
      title={`Delete ${scope.name}?`}
      path={`${settings}/delete`}
      cancelHref={settings}
      crumbs={[{ label: 'Settings', href: settings }]}
      consequences={[
        'All members lose access at once.',
        `Everything in ${scope.name} is deleted.`,
        'This can’t be undone.',
      ]}
      action={deleteOrganization}
      fields={{ scope: scope.slug }}
      submit="Delete organization"
      isDangerous
      isSensitive
    >
      <Field
        label={`Type ${scope.name} to confirm`}
        name="typedName"
        autoComplete="off"
        spellCheck={false}
        required
        data-dialog-focus="field"
      />
    </DialogForm>
  )
}
