import { requirePermission } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import { AppShell } from '@/core/ui/app-shell'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Page } from '@/core/ui/page'
import { Card } from '@/core/ui/surface'
import { createOrganization } from '../../actions'
import { can } from '../../policy'

export const metadata = { title: 'Create organization' }

export default async function NewOrganizationPage() {
  await requirePermission(can('organizations.create'), '/organizations/new')
  return (
    <AppShell>
      <Page
        title="Create organization"
        crumbs={[{ label: 'Organizations', href: '/organizations' }]}
        lead="You can change both later."
        isNarrow
      >
        <Card>
          <ActionForm action={createOrganization} className="grid justify-items-start gap-5">
            <FormMessage />
            <Field label="Name" name="name" autoComplete="organization" required maxLength={60} className="w-full" />
            <Field
              label="Slug"
              name="slug"
              autoComplete="off"
              spellCheck={false}
              maxLength={39}
              hint={`Optional. Its pages are at ${new URL(env.AUTH_URL).host}/o/slug.`}
              className="w-full"
            />
            <SubmitButton>Create organization</SubmitButton>
          </ActionForm>
        </Card>
      </Page>
    </AppShell>
  )
}
