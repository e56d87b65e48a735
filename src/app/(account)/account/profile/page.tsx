import { AtSign } from 'lucide-react'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { getSession, requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { PictureField } from '@/core/ui/picture-field'
import { SettingCard, SettingRow, SettingRows, SettingsPage } from '@/core/ui/settings-page'
import { Alert, Avatar, Badge } from '@/core/ui/surface'
import { UserFieldInputs } from '@/core/ui/user-field-inputs'
import { removePicture, setPicture, updateProfile } from '../../actions'
import { isEmailVerified } from '../../email-change'

export const metadata = { title: 'Profile' }

const outcomes = new Map([
  ['saved', 'Photo updated'],
  ['removed', 'Photo removed'],
])

export default async function ProfilePage({ searchParams }: PageProps<'/account/profile'>) {
  const actor = await requirePermission(signedIn, '/account/profile')
  const [session, isVerified] = await Promise.all([getSession(), isEmailVerified(actor.id)])
  const image = session?.image
  const outcome = outcomes.get(String((await searchParams).picture))
  return (
    <SettingsPage title="Profile" lead="Your name and photo, visible to other users.">
      <div>
        <ActionForm action={setPicture}>
          <SettingCard
            title="Profile photo"
            action={
              <>
                {image && (
                  <button type="submit" form="remove-picture" className={buttonVariants({ variant: 'ghost' })}>
                    Remove photo
                  </button>
                )}
                <SubmitButton variant="outline">Upload photo</SubmitButton>
              </>
            }
          >
            <FormMessage />
            {outcome && (
              // Hidden once a later submit has an error.
              <Alert as="p" tone="success" role="status" className="[form:has([role=alert])_&]:hidden">
                {outcome}
              </Alert>
            )}
            {/* The key resets the field when the picture changes. */}
            <PictureField key={image} name="picture" label="Photo" className="rounded-full">
              <Avatar id={actor.id} name={actor.name} image={image} className="size-16 text-xl" />
            </PictureField>
          </SettingCard>
        </ActionForm>
        <ActionForm action={removePicture} id="remove-picture">
          <FormMessage className="mt-3" />
        </ActionForm>
      </div>
      <ActionForm action={updateProfile}>
        <SettingCard title="Details" hint="Use up to 100 characters." action={<SubmitButton>Save</SubmitButton>}>
          <FormMessage done="Saved" />
          <Field label="Name" name="name" autoComplete="name" required defaultValue={actor.name} />
          <UserFieldInputs place="profile" userId={actor.id} />
        </SettingCard>
      </ActionForm>
      <SettingRows>
        <SettingRow
          icon={<AtSign aria-hidden="true" strokeWidth={1.75} />}
          title={actor.email}
          state={
            <span className="flex flex-wrap items-center gap-x-2">
              For sign-in and notifications
              {isVerified ? <Badge tone="success">Verified</Badge> : <Badge tone="warning">Unverified</Badge>}
            </span>
          }
          action={
            <Link
              href="/account/email"
              prefetch={false}
              className={buttonVariants({ variant: 'outline', size: 'small' })}
            >
              Change…<span className="sr-only"> email</span>
            </Link>
          }
        />
      </SettingRows>
    </SettingsPage>
  )
}
