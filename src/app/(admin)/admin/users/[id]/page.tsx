import type { Route } from 'next'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import type { ComponentProps, ReactNode } from 'react'
import { z } from 'zod'
import { getSession, requirePermission } from '@/core/auth/actor'
import { type Role, roles } from '@/core/auth/policy'
import { buttonVariants } from '@/core/ui/button'
import { cn } from '@/core/ui/cn'
import { Copyable } from '@/core/ui/copyable'
import { inWords } from '@/core/ui/device'
import { ActionForm, Field, FormMessage, SelectField, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Row } from '@/core/ui/section'
import { Avatar, alertVariants, Badge } from '@/core/ui/surface'
import { RoleBadge, StatusBadge } from '../../../_components/badges'
import {
  actForUser,
  deleteUser,
  endUserSessions,
  liftUserChallenge,
  restoreUser,
  sendUserReset,
  suspendUsers,
  updateUserRole,
} from '../../../actions'
import { EventQuery, findHistory } from '../../../audit'
import { eventInWords } from '../../../audit-words'
import { findPerson } from '../../../person'
import { can } from '../../../policy'

export const metadata = { title: 'Person' }

const meaning: Record<Role, string> = {
  viewer: 'reads what is open to them',
  editor: 'reads, creates and edits content',
  admin: 'does everything, people and their roles included; their sessions end after 12 hours without a request',
}

const providerNames: Record<string, string> = { google: 'Google', github: 'GitHub' }

export default async function PersonPage({ params, searchParams }: PageProps<'/admin/users/[id]'>) {
  const { id } = await params
  const path = `/admin/users/${id}`
  const actor = await requirePermission(can('users.read'), path)
  if (!z.uuid().safeParse(id).success) notFound()
  const { before, after } = EventQuery.parse(await searchParams)
  const [person, history] = await Promise.all([findPerson(id), findHistory(id, { before, after })])
  if (!person) notFound()
  const isConfirmed = (await getSession())?.isConfirmed ?? false
  const isSelf = actor.id === id
  const isSuspended = person.suspendedAt !== null
  const guarded = (form: ReactNode) =>
    isConfirmed ? (
      form
    ) : (
      <a
        href={`/confirm?callbackUrl=${path}` as Route}
        className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
      >
        Confirm that it is you to change this
      </a>
    )
  return (
    <div className="wrap-anywhere grid max-w-3xl gap-10">
      <div className="grid gap-4">
        <Link href="/admin/users" className="justify-self-start text-muted-foreground text-sm hover:text-foreground">
          ← People
        </Link>
        <div className="flex items-center gap-4">
          <Avatar name={person.name} image={person.image} className="size-14 text-lg" />
          <div className="grid min-w-0 gap-1">
            <h1 className="font-semibold text-2xl">{person.name}</h1>
            <p className="text-muted-foreground">{person.email}</p>
            <p className="flex flex-wrap gap-2">
              <RoleBadge role={person.role} />
              <StatusBadge isSuspended={isSuspended} />
              {!person.emailVerifiedAt && <Badge tone="warning">address not confirmed</Badge>}
              {isSelf && <Badge>you</Badge>}
            </p>
          </div>
        </div>
        <dl className="grid grid-cols-[7rem_1fr] gap-x-4 gap-y-2 text-sm sm:grid-cols-[10rem_1fr]">
          <Fact name="Joined">
            <Moment at={person.createdAt} />
          </Fact>
          <Fact name="Last seen">{person.lastSeenAt ? <Moment at={person.lastSeenAt} /> : 'never'}</Fact>
          <Fact name="Signs in with">
            {[
              person.hasPassword && 'a password',
              ...person.providers.map((provider) => providerNames[provider] ?? provider),
            ]
              .filter(Boolean)
              .join(', ') || 'nothing yet'}
          </Fact>
          <Fact name="Second factor">{person.hasSecondFactor ? 'on' : 'off'}</Fact>
          <Fact name="Id">
            <Copyable
              className="select-all break-all font-mono"
              buttonClassName={buttonVariants({ variant: 'outline', size: 'small' })}
            >
              {person.id}
            </Copyable>
          </Fact>
        </dl>
      </div>

      <Section title="Role">
        <ul className="grid gap-1 text-muted-foreground text-sm">
          {roles.map((role) => (
            <li key={role}>
              <span className="font-medium text-foreground">{role}</span> {meaning[role]}
            </li>
          ))}
        </ul>
        {guarded(
          <ActionForm action={updateUserRole} className="grid gap-4">
            <Said done="The role was changed. It holds from the next request on." />
            <input type="hidden" name="userId" value={id} />
            <SelectField
              label={`Role of ${person.name}`}
              name="role"
              defaultValue={person.role}
              hint={isSelf ? 'This is you: with another role you cannot come back here.' : undefined}
            >
              {roles.map((role) => (
                <option key={role} value={role}>
                  {role}
                </option>
              ))}
            </SelectField>
            <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Change role</SubmitButton>
          </ActionForm>,
        )}
      </Section>

      <Section title="Signed in">
        {person.sessions.length === 0 ? (
          <p className="text-muted-foreground text-sm">Nowhere at the moment.</p>
        ) : (
          <ul className="grid gap-3">
            {person.sessions.map(({ id: sessionId, userAgent, ip, lastSeenAt }) => (
              <Row
                key={sessionId}
                title={inWords(userAgent)}
                action={
                  <ActionForm action={endUserSessions} className="grid gap-2">
                    <Said />
                    <input type="hidden" name="userId" value={id} />
                    <input type="hidden" name="sessionId" value={sessionId} />
                    <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>End</SubmitButton>
                  </ActionForm>
                }
              >
                {ip ? `From ${ip}` : 'From an unknown address'}. Last seen <Moment at={lastSeenAt} />
              </Row>
            ))}
          </ul>
        )}
        <Press
          action={endUserSessions}
          userId={id}
          isOffered={person.sessions.length > 1}
          done="Signed out everywhere."
          label="End all sessions"
        />
      </Section>

      <Section title="Help to get back in">
        <div className="flex flex-wrap items-start gap-4">
          {isSuspended ? (
            <p className="text-muted-foreground text-sm">No link lets them in while they are suspended.</p>
          ) : (
            <Press
              action={sendUserReset}
              userId={id}
              done="On its way: a link to choose another password, for half an hour."
              label="Send a link to choose another password"
            />
          )}
          {(isConfirmed || person.hasSecondFactor) &&
            guarded(
              <Press
                action={liftUserChallenge}
                userId={id}
                isOffered={person.hasSecondFactor}
                done="Taken off. Nothing but the first step is asked for now."
                label="Take off the second factor"
              />,
            )}
        </div>
        {person.hasSecondFactor && (
          <p className="text-muted-foreground text-sm">
            Make sure that it is really them before you take off the second factor. They are told by mail, and signed
            out everywhere.
          </p>
        )}
      </Section>

      {person.role !== 'admin' && !isSuspended && (
        <Section title="See what they see">
          <p className="text-muted-foreground text-sm">
            Use the app as {person.name} does, for half an hour at most. Their account, password and devices stay out of
            reach, and what you do is written down with your name.
          </p>
          {guarded(<Press action={actForUser} userId={id} done="" label={`Act for ${person.name}`} />)}
        </Section>
      )}

      {!isSelf && (
        <Section title={isSuspended ? 'Suspended' : 'Suspend'}>
          <p className="text-muted-foreground text-sm">
            {isSuspended
              ? 'They cannot sign in, and nothing of theirs can be used. Everything is as it was.'
              : 'Signs them out everywhere at once, and lets them in no more until they are restored. Nothing is deleted.'}
          </p>
          {guarded(
            <>
              <Press
                action={suspendUsers}
                userId={id}
                name="ids"
                isOffered={!isSuspended}
                done="Suspended, and signed out everywhere."
                label={`Suspend ${person.name}`}
              />
              <Press
                action={restoreUser}
                userId={id}
                isOffered={isSuspended}
                done="Restored. They can sign in again."
                label="Restore"
              />
            </>,
          )}
        </Section>
      )}

      <Section title="History">
        <ol className="grid gap-2 text-sm">
          {history.events.map(
            ({ id: eventId, at, kind, details, ip, actorId, actorName, targetId, targetName, actingName }) => (
              <li key={eventId} className="flex flex-wrap gap-x-2">
                <span className="font-medium">{eventInWords(kind, details, actingName)}</span>{' '}
                <span className="text-muted-foreground">
                  {actorId && actorId !== id && `by ${actorName ?? 'somebody who is gone'}`}
                  {targetId && targetId !== id && `to ${targetName ?? 'somebody who is gone'}`} <Moment at={at} />
                  {ip && `, from ${ip}`}
                </span>
              </li>
            ),
          )}
          {history.events.length === 0 && <li className="text-muted-foreground">Nothing was written down yet.</li>}
        </ol>
        <p className="flex gap-4 text-sm empty:hidden">
          {before !== undefined && <Turn href={`${path}#history`}>Newest</Turn>}
          {history.older !== undefined && <Turn href={`${path}?before=${history.older}#history`}>Older</Turn>}
        </p>
      </Section>

      {!isSelf && (
        <Section title="Delete">
          <p className="text-muted-foreground text-sm">
            Their name, address, password, connected services and everything else that is theirs is deleted at once. The
            log keeps their id. Nobody can bring it back.
          </p>
          {guarded(
            <ActionForm action={deleteUser} className="grid gap-4">
              <Said />
              <input type="hidden" name="userId" value={id} />
              <Field
                label="Type their e-mail address to confirm"
                name="confirmation"
                autoComplete="off"
                spellCheck={false}
                hint={person.email}
                required
              />
              <SubmitButton className={cn(buttonVariants({ variant: 'destructive' }), wraps, 'justify-self-start')}>
                Delete {person.name}
              </SubmitButton>
            </ActionForm>,
          )}
        </Section>
      )}
    </div>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return (
    <section aria-labelledby={id} className="grid gap-4">
      <h2 id={id} className="font-semibold text-lg">
        {title}
      </h2>
      {children}
    </section>
  )
}

function Said({ done }: { done?: string }) {
  return (
    <FormMessage
      className={alertVariants({ tone: 'danger' })}
      {...(done && { done, doneClassName: alertVariants({ tone: 'success' }) })}
    />
  )
}

function Turn({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href as Route} prefetch={false} className="underline underline-offset-4">
      {children}
    </Link>
  )
}

/** A name can be as long as a line. */
const wraps = 'h-auto min-h-10 py-2 whitespace-normal text-start'

/**
 * One button that does something to somebody. What can be done only once is said to be done where its button was, as long
 * as that is so.
 */
function Press<Data>({
  action,
  userId,
  name = 'userId',
  label,
  done,
  isOffered,
}: {
  action: ComponentProps<typeof ActionForm<Data>>['action']
  userId: string
  name?: string
  label: string
  done: string
  isOffered?: boolean
}) {
  return (
    <ActionForm action={action} className="grid justify-items-start gap-2 not-has-[p,button]:hidden">
      <Said {...(!isOffered && { done })} />
      <input type="hidden" name={name} value={userId} />
      {isOffered !== false && (
        <SubmitButton className={cn(buttonVariants({ variant: 'outline' }), wraps)}>{label}</SubmitButton>
      )}
    </ActionForm>
  )
}
