import type { Route } from 'next'
import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { originOf } from '@/core/address'
import { getSession } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { inWords, placeInWords } from '@/core/ui/device'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading, Row } from '@/core/ui/section'
import { alertVariants, Badge } from '@/core/ui/surface'
import { endDevice, endOtherDevices } from '../../actions'
import { findDevices } from '../../queries'

export const metadata = { title: 'Devices' }

export default async function DevicesPage() {
  const session = await getSession()
  if (!session) redirect('/signin')
  const devices = await findDevices(session.user.id)
  const here = originOf(await headers()).ip ?? null
  return (
    <>
      <Heading title="Devices">Where you are signed in. End what you do not know.</Heading>
      <ul className="grid gap-3">
        {devices.map(({ id, isThis, isOfAdmin, userAgent, ip, lastSeenAt }) => (
          <Row
            key={id}
            title={
              <>
                {inWords(userAgent)}
                {isOfAdmin && <Badge tone="warning">An admin acts for you</Badge>}
                {isThis && <Badge tone="success">This device</Badge>}
              </>
            }
            action={
              !isThis &&
              session.isConfirmed && (
                <ActionForm action={endDevice} className="grid gap-2">
                  <FormMessage className={alertVariants({ tone: 'danger' })} />
                  <input type="hidden" name="id" value={id} />
                  <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>
                    Sign out
                  </SubmitButton>
                </ActionForm>
              )
            }
          >
            {placeInWords(ip, here)}. Last seen <Moment at={lastSeenAt} />
          </Row>
        ))}
      </ul>
      {devices.length > 1 &&
        (session.isConfirmed ? (
          <ActionForm action={endOtherDevices} className="grid justify-items-start gap-2">
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <SubmitButton className={buttonVariants({ variant: 'outline' })}>Sign out all other devices</SubmitButton>
          </ActionForm>
        ) : (
          <a
            href={'/confirm?callbackUrl=/account/devices' satisfies Route}
            className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
          >
            Confirm that it is you to end one
          </a>
        ))}
    </>
  )
}
