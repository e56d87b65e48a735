import Link from 'next/link'
import { isAllowed } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { env } from '@/core/env'
import { scopePath } from '@/core/scope'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Page } from '@/core/ui/page'
import { PictureField } from '@/core/ui/picture-field'
import { SettingCard } from '@/core/ui/settings-page'
import { OrganizationMark } from '../../../_components/organization-mark'
import { removeLogo, setLogo, updateOrganization } from '../../../actions'
import { findSettings } from '../../../organizations'
import { can } from '../../../policy'

export const metadata = { title: 'Settings' }

export default async function OrganizationSettingsPage({ params }: PageProps<'/o/[scope]/settings'>) {
  const { scope: name } = await params
  const { role, scope } = await requirePermission(can('members.leave'), `/o/${name}/settings`, name)
  const { slug } = scope
  const canUpdate = isAllowed(role, can('organization.update'))
  const settings = await findSettings(scope.id)
  return (
    <Page title="Settings" lead={`Settings of ${scope.name}.`} isNarrow>
      <div className="grid gap-5">
        {canUpdate && (
          <>
            <ActionForm action={updateOrganization}>
              <input type="hidden" name="scope" value={slug} />
              <SettingCard title="General" action={<SubmitButton>Save</SubmitButton>}>
                <FormMessage />
                <Field label="Name" name="name" required maxLength={60} defaultValue={settings.name} />
                <Field
                  label="Slug"
                  name="slug"
                  required
                  maxLength={39}
                  spellCheck={false}
                  autoComplete="off"
                  defaultValue={settings.slug}
                  hint={`${new URL(env.AUTH_URL).host}/o/${settings.slug}. Links with an earlier slug still work.`}
                />
              </SettingCard>
            </ActionForm>
            <div>
              <ActionForm action={setLogo}>
                <input type="hidden" name="scope" value={slug} />
                <SettingCard
                  title="Logo"
                  action={
                    <>
                      {settings.logoId && (
                        <button type="submit" form="remove-logo" className={buttonVariants({ variant: 'ghost' })}>
                          Remove logo
                        </button>
                      )}
                      <SubmitButton variant="outline">Upload logo</SubmitButton>
                    </>
                  }
                >
                  <FormMessage />
                  <PictureField key={settings.logoId} name="logo" label="Image" className="rounded-md">
                    <OrganizationMark
                      organization={{ id: scope.id, name: scope.name, logoId: settings.logoId }}
                      className="size-16 text-xl"
                    />
                  </PictureField>
                </SettingCard>
              </ActionForm>
              <ActionForm action={removeLogo} id="remove-logo">
                <input type="hidden" name="scope" value={slug} />
                <FormMessage className="mt-3" />
              </ActionForm>
            </div>
          </>
        )}
        <SettingCard
          title="Leave organization"
          description={`You’ll lose access to everything in ${scope.name}.`}
          action={
            <Link
              href={scopePath({ slug }, '/settings/leave')}
              prefetch={false}
              className={buttonVariants({ variant: 'outline' })}
            >
              Leave organization…
            </Link>
          }
        />
        {isAllowed(role, can('organization.transfer')) && (
          <SettingCard
            title="Transfer organization"
            description="Another member becomes an admin and you become an editor."
            action={
              <Link
                href={scopePath({ slug }, '/settings/transfer')}
                prefetch={false}
                className={buttonVariants({ variant: 'outline' })}
              >
                Transfer…
              </Link>
            }
          />
        )}
        {isAllowed(role, can('organization.delete')) && (
          <SettingCard
            title="Delete organization"
            isDanger
            description={`Deletes ${scope.name} with everything in it, for all members.`}
            hint="This can’t be undone."
            action={
              <Link
                href={scopePath({ slug }, '/settings/delete')}
                prefetch={false}
                className={buttonVariants({ variant: 'destructive' })}
              >
                Delete organization…
              </Link>
            }
          />
        )}
      </div>
    </Page>
  )
}
