import { getSession, requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, Field, FormMessage, SubmitButton } from '@/core/ui/form'
import { Heading } from '@/core/ui/section'
import { Avatar, alertVariants } from '@/core/ui/surface'
import { PictureField } from '../../_components/picture-field'
import { removePicture, setPicture, updateProfile } from '../../actions'

export const metadata = { title: 'Profile' }

const outcomes = new Map([
  ['saved', 'Your picture was saved'],
  ['removed', 'Your picture was removed'],
])

export default async function ProfilePage({ searchParams }: PageProps<'/account/profile'>) {
  const actor = await requireActor()
  const image = (await getSession())?.image
  const outcome = outcomes.get(String((await searchParams).picture))
  return (
    <>
      <Heading title="Profile">How others see you.</Heading>
      <div className="grid gap-3">
        <ActionForm action={setPicture} className="group grid gap-5">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          {outcome && (
            // Old news once the next try was refused.
            <p
              role="status"
              className={alertVariants({ tone: 'success', className: 'group-has-[[role=alert]]:hidden' })}
            >
              {outcome}
            </p>
          )}
          {/* Another picture: the field starts anew. */}
          <PictureField key={image}>
            <Avatar name={actor.name} image={image} className="size-20 text-2xl" />
          </PictureField>
          <div className="flex flex-wrap gap-3">
            <SubmitButton className={buttonVariants({ variant: 'outline' })}>Save picture</SubmitButton>
            {image && (
              <button type="submit" form="remove-picture" className={buttonVariants({ variant: 'ghost' })}>
                Remove picture
              </button>
            )}
          </div>
        </ActionForm>
        <ActionForm action={removePicture} id="remove-picture">
          <FormMessage className={alertVariants({ tone: 'danger' })} />
        </ActionForm>
      </div>
      <ActionForm action={updateProfile} className="grid gap-5">
        <FormMessage
          className={alertVariants({ tone: 'danger' })}
          done="Saved"
          doneClassName={alertVariants({ tone: 'success' })}
        />
        <Field label="Name" name="name" autoComplete="name" required defaultValue={actor.name} />
        <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Save</SubmitButton>
      </ActionForm>
    </>
  )
}
