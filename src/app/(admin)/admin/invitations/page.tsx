import { getSession, requirePermission } from '@/core/auth/actor'
import { roles } from '@/core/auth/policy'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, AnswerText, FormMessage, SelectField, SubmitButton, TextField } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading, Row } from '@/core/ui/section'
import { alertVariants, Badge, EmptyState } from '@/core/ui/surface'
import { RoleBadge } from '../../_components/badges'
import { inviteUsers, resendInvitation, revokeInvitation } from '../../actions'
import { findInvitations, isOpenToInvited } from '../../invitations'
import { can } from '../../policy'

export const metadata = { title: 'Invitations' }

export default async function InvitationsPage() {
  await requirePermission(can('users.invite'), '/admin/invitations')
  const invitations = await findInvitations()
  const isConfirmed = (await getSession())?.isConfirmed
  return (
    <div className="grid max-w-3xl gap-8">
      <Heading title="Invitations">
        Whoever you invite gets a mail with a link that works for a week. They choose a name and a password, and have
        the role that you give them here.
      </Heading>
      {!isOpenToInvited() ? (
        <p className={alertVariants({ tone: 'warning' })}>
          Nobody new can join: AUTH_SIGNUP is closed. Set it to invite or open to invite people.
        </p>
      ) : isConfirmed ? (
        <ActionForm
          action={inviteUsers}
          className="grid gap-5"
          done={
            <div role="status" tabIndex={-1} className={alertVariants({ tone: 'success', className: 'grid gap-2' })}>
              <p className="wrap-anywhere">
                Invited: <AnswerText name="invited" />
              </p>
              <a href="/admin/invitations" className="justify-self-start underline underline-offset-4">
                Invite others
              </a>
            </div>
          }
        >
          <FormMessage className={alertVariants({ tone: 'danger' })} />
          <TextField
            label="E-mail addresses"
            name="emails"
            rows={3}
            autoComplete="off"
            spellCheck={false}
            required
            hint="One or several, on lines of their own or apart by commas."
          />
          <SelectField label="Role" name="role" defaultValue="viewer" className="max-w-48">
            {roles.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </SelectField>
          <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Invite</SubmitButton>
        </ActionForm>
      ) : (
        <a
          href="/confirm?callbackUrl=/admin/invitations"
          className={buttonVariants({ className: 'justify-self-start' })}
        >
          Confirm that it is you to invite people
        </a>
      )}
      <section aria-labelledby="waiting" className="grid gap-4">
        <h2 id="waiting" className="font-semibold text-lg">
          Not here yet
        </h2>
        {invitations.length === 0 ? (
          <EmptyState title="Nobody is invited">
            Those whom you invite are listed here until they have joined.
          </EmptyState>
        ) : (
          <ul className="grid gap-3">
            {invitations.map(({ id, email, role, sentAt, isFresh }) => (
              <Row
                key={id}
                title={
                  <>
                    <span className="wrap-anywhere">{email}</span>
                    <RoleBadge role={role} />
                    {!isFresh && <Badge tone="danger">expired</Badge>}
                  </>
                }
                action={
                  <div className="flex flex-wrap gap-2">
                    <Press action={resendInvitation} id={id} label="Send again" about={email} done="Sent" />
                    <Press action={revokeInvitation} id={id} label="Revoke" about={email} done="Revoked" />
                  </div>
                }
              >
                invited <Moment at={sentAt} />
              </Row>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}

function Press({
  action,
  id,
  label,
  about,
  done,
}: {
  action: typeof revokeInvitation
  id: string
  label: string
  about: string
  done: string
}) {
  return (
    <ActionForm action={action} className="grid justify-items-end gap-1">
      <input type="hidden" name="id" value={id} />
      <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>
        {label}
        <span className="sr-only"> {about}</span>
      </SubmitButton>
      <FormMessage className="text-destructive text-sm" done={done} doneClassName="text-muted-foreground text-sm" />
    </ActionForm>
  )
}
