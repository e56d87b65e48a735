import type { Route } from 'next'
import { requireActor } from '@/core/auth/actor'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading, Row } from '@/core/ui/section'
import { alertVariants, EmptyState } from '@/core/ui/surface'
import { disconnectProvider } from '../../actions'
import { needConfirmation } from '../../confirmation'
import { listConnections } from '../../ways-in'

export const metadata = { title: 'Connected accounts' }

export default async function ConnectionsPage() {
  const actor = await requireActor()
  await needConfirmation('/account/connections')
  const connections = await listConnections(actor.id)
  return (
    <>
      <Heading title="Connected accounts">Services that you can sign in with, in place of a password.</Heading>
      {connections.length === 0 ? (
        <EmptyState title="No service is offered here">You sign in with a password or a passkey.</EmptyState>
      ) : (
        <ul className="grid gap-3">
          {connections.map(({ id, name, since, isOffered }) => (
            <Row
              key={id}
              title={name}
              action={
                since ? (
                  <ActionForm action={disconnectProvider} className="grid gap-2">
                    <FormMessage className={alertVariants({ tone: 'danger' })} />
                    <input type="hidden" name="provider" value={id} />
                    <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>
                      Disconnect<span className="sr-only"> {name}</span>
                    </SubmitButton>
                  </ActionForm>
                ) : (
                  <a href={`/connect/${id}` as Route} className={buttonVariants({ variant: 'outline', size: 'small' })}>
                    Connect<span className="sr-only"> {name}</span>
                  </a>
                )
              }
            >
              {since ? (
                <>
                  Connected <Moment at={since} />
                  {!isOffered && '; it is not offered here any more'}
                </>
              ) : (
                'Not connected'
              )}
            </Row>
          ))}
        </ul>
      )}
    </>
  )
}
